package io.dedup.examples.live;

import java.time.Duration;

/** The demo that the tests of this JVM share: use orders of your own, and leave a running consumer. */
final class SharedDemo {
    /** For anything to become visible, a start of a JVM on a busy machine included. */
    static final Duration LIMIT = Duration.ofMinutes(2);

    private SharedDemo() {}

    static String url() {
        return Started.DEMO.url();
    }

    private static final class Started {
        static final LiveDemo DEMO = LiveDemo.start("--server.port=0");

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(DEMO::close, "close"));
        }
    }
}
