package io.dedup.examples.live;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads the shop's commands from standard input. Each line is the name of a topic to replay. */
final class Commands {
    private final List<ReplayableListener> listeners;

    Commands(List<ReplayableListener> listeners) {
        this.listeners = listeners;
    }

    /** Ends the JVM when the input ends. */
    void run() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String topic = in.readLine(); topic != null; topic = in.readLine()) {
                for (ReplayableListener listener : listeners) {
                    if (listener.topic().equals(topic)) {
                        listener.seekToBeginning();
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            System.exit(0);
        }
    }
}
