package io.dedup.examples.live;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Commands of the shop, on the consumer's standard input: the name of a topic to replay, one per line. */
final class Commands {
    private final List<ReplayableListener> listeners;

    Commands(List<ReplayableListener> listeners) {
        this.listeners = listeners;
    }

    /** Until the input ends; then the JVM does. */
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
