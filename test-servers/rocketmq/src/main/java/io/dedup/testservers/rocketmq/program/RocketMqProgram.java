package io.dedup.testservers.rocketmq.program;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * Runs a server until the process is killed, and says so when it serves. Its only argument is a file of properties, see
 * {@link ServerSettings}. Killing it is its orderly end: a clean shutdown takes 10 to 20 s.
 */
public final class RocketMqProgram {
    /** What is printed when the server serves. */
    public static final String READY = "RocketMQ serves";

    private RocketMqProgram() {}

    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        try (var in = Files.newBufferedReader(Path.of(arguments[0]))) {
            properties.load(in);
        }
        ServerSettings settings = new ServerSettings(properties);
        settings.applySystemProperties(); // before the first class of the server is loaded
        Server server = new Server(settings);
        server.start();
        new ControlEndpoint(server, settings.controlPort()).start();
        System.out.println(READY);
    }
}
