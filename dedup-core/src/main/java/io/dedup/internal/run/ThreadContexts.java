package io.dedup.internal.run;

import io.dedup.DedupContext;
import io.dedup.DedupContexts;
import io.dedup.DedupKey;
import io.dedup.text.Printable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The runs whose handlers are on the stack, by their threads. A map instead of a {@code ThreadLocal}: it belongs to one
 * application, and leaves nothing in a thread that isn't this application's.
 */
public final class ThreadContexts implements DedupContexts {
    private final Map<Thread, Collection<? extends DedupContext>> running = new ConcurrentHashMap<>();

    /** The handler of these runs begins on this thread. Returns what {@link #leave} restores. */
    @Nullable
    Object enter(Collection<? extends DedupContext> together) {
        return running.put(Thread.currentThread(), together);
    }

    @SuppressWarnings("unchecked") // what enter has returned
    void leave(@Nullable Object before) {
        if (before == null) {
            running.remove(Thread.currentThread());
        } else {
            running.put(Thread.currentThread(), (Collection<? extends DedupContext>) before);
        }
    }

    @Override
    public DedupContext current() {
        Collection<? extends DedupContext> here = here();
        if (here.size() > 1) {
            throw new IllegalStateException("this thread handles a batch of " + here.size()
                    + " messages, so that there is no single context: name one with current(messageId)");
        }
        return here.iterator().next();
    }

    @Override
    public DedupContext current(String messageId) {
        Collection<? extends DedupContext> here = here();
        for (DedupContext each : here) {
            DedupKey key = each.key();
            if (key != null && key.equals(key.scope().key(messageId))) {
                return each;
            }
        }
        throw new IllegalStateException("this thread does not handle message ID " + Printable.of(messageId) + " now: "
                + (here.size() == 1
                        ? "it handles " + here.iterator().next().key()
                        : "it is not in its batch of " + here.size() + " messages"));
    }

    private Collection<? extends DedupContext> here() {
        Collection<? extends DedupContext> here = running.getOrDefault(Thread.currentThread(), List.of());
        if (here.isEmpty()) {
            throw new IllegalStateException(
                    "this thread does not handle a message now: only the handler's own thread has a"
                            + " DedupContext, until the handler returns. Read it there, and pass it to other threads");
        }
        return here;
    }
}
