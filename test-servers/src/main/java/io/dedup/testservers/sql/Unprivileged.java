package io.dedup.testservers.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** For a server that refuses to run as root: if this process is root, the server runs as the user nobody. */
final class Unprivileged {

    private static final String NOBODY = "65534";

    private Unprivileged() {}

    /** The command, changed where needed. */
    static List<String> command(List<String> command) {
        return isRoot()
                ? Stream.concat(
                                Stream.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"),
                                command.stream())
                        .toList()
                : command;
    }

    /** Gives the path to that user where needed. */
    static void own(Path path) throws IOException {
        if (isRoot()) {
            Files.setOwner(
                    path, path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(NOBODY));
        }
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}
