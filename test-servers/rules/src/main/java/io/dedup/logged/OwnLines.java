package io.dedup.logged;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * What the thread that made it logs, until it is closed. Test classes run beside each other in one JVM and share its
 * loggers: without the thread, a test would see their lines too.
 */
public final class OwnLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Thread owner = Thread.currentThread();
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger logger;

    private OwnLines(Logger logger) {
        this.logger = logger;
    }

    /** The lines of this class's logger. */
    public static OwnLines of(Class<?> type) {
        OwnLines lines = new OwnLines((Logger) LoggerFactory.getLogger(type));
        lines.start();
        lines.logger.addAppender(lines);
        return lines;
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (Thread.currentThread() == owner) {
            events.add(event);
        }
    }

    public List<ILoggingEvent> events() {
        return List.copyOf(events);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        stop();
    }
}
