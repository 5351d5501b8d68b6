package io.dedup.spring.boot.internal.call;

import io.dedup.Deduplicator;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.inplace.InPlaceRunner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;

/**
 * How long calls wait that cannot be decided yet. Brokers count a call that throws as a delivery attempt, and other callers don't call
 * again, so a call waits on its own thread. The waits end when the application begins to close, before its listeners stop. Thread-safe.
 */
public final class CallWaits implements ApplicationListener<ContextClosedEvent> {
    /**
     * Longer than RabbitMQ's containers wait for a listener that doesn't return. They then close the channel, which returns the message
     * without passing the deferral to retries that give up.
     */
    private static final Duration WAIT_AFTER_END = Duration.ofSeconds(10);

    private final BeanFactory beans;
    private final Duration waitAfterEnd;
    private final List<InPlaceRunner> runners = new CopyOnWriteArrayList<>();
    private volatile boolean ended;

    /** For the calls of an application. */
    public CallWaits(BeanFactory beans) {
        this(beans, WAIT_AFTER_END);
    }

    CallWaits(BeanFactory beans, Duration waitAfterEnd) {
        this.beans = beans;
        this.waitAfterEnd = waitAfterEnd;
    }

    /**
     * Makes what runs calls that wait.
     *
     * @param maxWait null for as long as a claim of a process that has died lasts, and a handler may run
     */
    InPlaceRunner runner(Deduplicator deduplicator, @Nullable Duration maxWait) {
        InPlaceRunner runner = new InPlaceRunner(DedupAdapter.of(deduplicator), maxWait, waitAfterEnd);
        runners.add(runner);
        if (ended) { // the first call of a bean that is made while the application closes
            runner.end();
        }
        return runner;
    }

    /** Whether calls of the current thread may go on to wait. */
    boolean goOn() {
        return !ended && !Thread.currentThread().isInterrupted();
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() instanceof ConfigurableApplicationContext context
                && context.getBeanFactory() == beans) { // not a child of it
            ended = true;
            runners.forEach(InPlaceRunner::end);
        }
    }
}
