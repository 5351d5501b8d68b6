package io.dedup.testservers.rocketmq;

import io.dedup.testservers.install.FileTrees;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Starts a program of the module test-server-rocketmq with the server's own class path. */
final class ProgramCommand {
    private ProgramCommand() {}

    /** @param directory where the JVM's arguments are written: a class path is longer than a command line may be */
    static List<String> of(Class<?> program, Path directory, List<String> jvmOptions, Path settings) {
        String options = jvmOptions.stream().map(option -> option + "\n").collect(Collectors.joining()) + "-cp \""
                + classPath(program) + "\"\n";
        Path file = FileTrees.write(directory.resolve("jvm.args"), options);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return List.of(java, "@" + file, program.getName(), settings.toString());
    }

    private static String classPath(Class<?> program) {
        try (InputStream in = program.getResourceAsStream("server-jars.txt")) {
            if (in == null) {
                throw new IllegalStateException("build the module test-server-rocketmq with Maven first");
            }
            Path own = Path.of(
                    program.getProtectionDomain().getCodeSource().getLocation().toURI());
            return own + File.pathSeparator + new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
