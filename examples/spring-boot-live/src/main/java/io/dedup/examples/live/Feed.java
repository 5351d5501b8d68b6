package io.dedup.examples.live;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** The pages that watch, as streams of server-sent events. Thread-safe. */
final class Feed {
    /** How many lines of the time line a new page gets. */
    private static final int HISTORY = 300;

    private final List<SseEmitter> pages = new ArrayList<>();
    private final Deque<TimelineEvent> history = new ArrayDeque<>();
    private @Nullable Object state;

    /** Sends the last state and the last events to a new page at once. */
    synchronized SseEmitter open() {
        SseEmitter page = new SseEmitter(0L); // as long as the page is open
        page.onCompletion(() -> remove(page));
        page.onError(unused -> remove(page));
        pages.add(page);
        if (state != null) {
            send(page, "state", state);
        }
        history.forEach(event -> send(page, "outcome", event));
        return page;
    }

    /** Sends the numbers if they have changed. */
    synchronized void state(Object now) {
        if (!now.equals(state)) {
            state = now;
            send("state", now);
        }
    }

    synchronized void happened(TimelineEvent event) {
        if (history.size() == HISTORY) {
            history.removeFirst();
        }
        history.addLast(event);
        send("outcome", event);
    }

    private void send(String name, Object data) {
        for (SseEmitter page : List.copyOf(pages)) {
            send(page, name, data);
        }
    }

    private void send(SseEmitter page, String name, Object data) {
        try {
            page.send(SseEmitter.event().name(name).data(data));
        } catch (IOException | IllegalStateException e) {
            pages.remove(page); // closed
        }
    }

    private synchronized void remove(SseEmitter page) {
        pages.remove(page);
    }

    /** Ends the streams, so that the server can stop. */
    synchronized void close() {
        List.copyOf(pages).forEach(SseEmitter::complete);
        pages.clear();
    }
}
