package io.dedup.examples.stream;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** What the handlers of the tests were given, in order. A message's text says what the handler does with it. */
final class Handled {
    private final List<String> texts = new CopyOnWriteArrayList<>();
    private final Map<String, Semaphore> gates = new ConcurrentHashMap<>();

    /** Texts that begin with fail fail the first time, doom always; wait waits. */
    void take(String text) {
        boolean first = !texts.contains(text);
        texts.add(text);
        if (text.startsWith("doom") || (text.startsWith("fail") && first)) {
            throw new IllegalStateException("as the text says: " + text);
        }
        if (text.startsWith("wait")) {
            try {
                if (!gate(text).tryAcquire(60, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("nobody opened the gate");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private Semaphore gate(String text) {
        return gates.computeIfAbsent(text, unused -> new Semaphore(0));
    }

    /** Ends the wait of one call with this text. */
    void open(String text) {
        gate(text).release();
    }

    int count(String text) {
        return (int) texts.stream().filter(text::equals).count();
    }
}
