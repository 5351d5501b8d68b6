package io.dedup.store.redis.internal.record;

import io.dedup.store.redis.internal.script.Script;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** All scripts, in the form that suits a server's version. */
public record Scripts(
        Script claim,
        Script complete,
        Script release,
        Script renew,
        Script find,
        Script stuck,
        Script forget,
        Script forceDone,
        Script importDone) {
    /**
     * Loads the scripts.
     *
     * @param flags whether the server supports script flags (7.0 and newer). {@code allow-oom} then lets complete and
     *     release run when memory is full. An older server lets a script continue if its first write needs no memory
     */
    public static Scripts load(boolean flags) {
        String constants = "local EPOCH, ATTEMPTS = " + DoneValue.EPOCH_MILLIS + ", " + DoneValue.ATTEMPTS + "\n";
        String whenFull = flags ? "#!lua flags=allow-oom\nlocal LIGHT_FIRST = false\n" : "local LIGHT_FIRST = true\n";
        return new Scripts(
                script("claim", ""),
                script("complete", whenFull + constants),
                script("release", whenFull),
                script("renew", ""),
                script("find", ""),
                script("stuck", ""),
                script("forget", ""),
                script("force done", constants),
                script("import done", constants));
    }

    /**
     * Loads a script.
     *
     * @param operation also the name of the resource
     * @param prelude text before that of the resource
     */
    private static Script script(String operation, String prelude) {
        return Script.of(operation, prelude + read(operation.replace(' ', '_') + ".lua"));
    }

    private static String read(String resource) {
        try (InputStream in = Scripts.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
