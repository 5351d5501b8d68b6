package io.dedup.examples.live;

import io.dedup.testservers.ParentWatch;
import java.util.concurrent.CountDownLatch;

/** Runs the demo until it is stopped, or the process that started it ends. Takes Spring Boot's arguments, such as {@code --server.port=9000}. */
public final class LiveMain {
    private LiveMain() {}

    public static void main(String[] args) throws InterruptedException {
        ParentWatch.start();
        LiveDemo demo = LiveDemo.start(args);
        Runtime.getRuntime().addShutdownHook(new Thread(demo::close, "close"));
        System.out.println("open " + demo.url() + " in a browser; Ctrl-C ends the demo");
        new CountDownLatch(1).await();
    }
}
