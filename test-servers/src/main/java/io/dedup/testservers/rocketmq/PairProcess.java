package io.dedup.testservers.rocketmq;

import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.process.LocalServer;
import io.dedup.testservers.process.OrphanSignal;
import io.dedup.testservers.process.ServerProcess;
import io.dedup.testservers.rocketmq.program.PairProgram;
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
        ServerProcess process =
                launch(ProgramCommand.of(PairProgram.class, directory(), JVM_OPTIONS, settings), OrphanSignal.KILL);
        process.awaitReady(() -> process.hasLogged(PairProgram.READY));
        return process;
    }

    @Override
    protected String endSignal() {
        return "KILL";
    }
}
