package io.dedup.testservers.rocketmq.program;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * One process of a RocketMQ with a master and a slave that can take over: either a broker, or the hub, which has what
 * stays up, that is the name server, the controller that chooses masters, and the proxy. Runs until it is killed. Its only
 * argument is a file of properties, see {@link PairSettings}.
 */
public final class PairProgram {
    /** What is printed when the process has started; the hub's proxy serves later, when there is a master. */
    public static final String READY = "started";

    private PairProgram() {}

    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        try (var in = Files.newBufferedReader(Path.of(arguments[0]))) {
            properties.load(in);
        }
        PairSettings settings = new PairSettings(properties);
        settings.applyHome(); // before the first class of the server is loaded
        if (settings.isBroker()) {
            new PairBroker(settings).start();
        } else {
            new PairHub(settings).start();
        }
        System.out.println(READY);
    }
}
