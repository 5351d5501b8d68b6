package io.dedup.soak.consumer;

import io.dedup.soak.plan.Leak;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Leaks something each time. */
final class PlantedLeak {
    private static final int FILES = 8;
    private static final int BYTES = 1024 * 1024;

    private final Leak leak;
    private final List<Object> lost = new ArrayList<>();

    PlantedLeak(Leak leak) {
        this.leak = leak;
    }

    @SuppressWarnings("resource") // that is the leak
    void leak() throws IOException {
        switch (leak) {
            case NONE -> {}
            case HEAP -> lost.add(new byte[BYTES]);
            case FILES -> {
                for (int i = 0; i < FILES; i++) {
                    lost.add(new FileInputStream(
                            Path.of(System.getProperty("java.home"), "release").toFile()));
                }
            }
            case THREADS -> {
                Thread thread = new Thread(() -> {
                    while (true) {
                        LockSupport.park();
                    }
                });
                thread.setDaemon(true);
                thread.start();
            }
        }
    }
}
