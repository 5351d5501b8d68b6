package io.dedup.examples.live;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** The pages that watch, as streams of server-sent events. Thread-safe. */
final class Feed {
    private final List<SseEmitter> pages = new ArrayList<>();
    private @Nullable Object state;

    /** A new page, which gets the last known state at once. */
    synchronized SseEmitter open() {
        SseEmitter page = new SseEmitter(0L); // as long as the page is open
        page.onCompletion(() -> remove(page));
        page.onError(unused -> remove(page));
        pages.add(page);
        if (state != null) {
            send(page, "state", state);
        }
        return page;
    }

    /** The table of all messages; sent if it has changed. */
    synchronized void state(Object now) {
        if (!now.equals(state)) {
            state = now;
            send("state", now);
        }
    }

    synchronized void send(String name, Object data) {
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
