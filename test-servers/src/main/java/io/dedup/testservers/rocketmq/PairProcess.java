package io.dedup.testservers.rocketmq;

import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.process.LocalServer;
import io.dedup.testservers.process.OrphanSignal;
import io.dedup.testservers.process.ServerProcess;
import io.dedup.testservers.rocketmq.program.PairProgram;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A {@link PairProgram} in a process of its own. */
final class PairProcess extends LocalServer {
    private static final List<String> JVM_OPTIONS =
            List.of("-Xms128m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

    private final Path settings;

    /** @param port of its own, by which it is known */
    PairProcess(String name, int port, Map<String, String> settings) {
        super(name, port);
        this.settings = FileTrees.write(
                directory().resolve("server.properties"),
                settings.entrySet().stream()
                                .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
                                .collect(Collectors.joining())
                        + "home=" + directory() + "\n");
    }

    @Override
    protected ServerProcess launch() {
        String options = JVM_OPTIONS.stream().map(option -> option + "\n").collect(Collectors.joining()) + "-cp \""
                + classPath() + "\"\n";
        Path file = FileTrees.write(directory().resolve("jvm.args"), options);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ServerProcess process =
                launch(List.of(java, "@" + file, PairProgram.class.getName(), settings.toString()), OrphanSignal.KILL);
        process.awaitReady(() -> process.hasLogged(PairProgram.READY));
        return process;
    }

    @Override
    protected String endSignal() {
        return "KILL";
    }

    private static String classPath() {
        try (InputStream in = PairProgram.class.getResourceAsStream("server-jars.txt")) {
            if (in == null) {
                throw new IllegalStateException("build the module test-server-rocketmq with Maven first");
            }
            Path own = Path.of(PairProgram.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return own + File.pathSeparator + new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
