package io.dedup.examples.live;

import java.util.concurrent.CountDownLatch;

/** Runs the demo until it is stopped. Takes Spring Boot's arguments, such as {@code --server.port=9000}. */
public final class LiveMain {
    private LiveMain() {}

    public static void main(String[] args) throws InterruptedException {
        LiveDemo demo = LiveDemo.start(args);
        Runtime.getRuntime().addShutdownHook(new Thread(demo::close, "close"));
        System.out.println("open " + demo.url() + " in a browser; Ctrl-C ends it");
        new CountDownLatch(1).await();
    }
}
