package io.dedup.spring.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What is logged under {@code io.dedup} from its making to its close. */
public final class Logs extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.dedup");
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    public Logs() {
        logger.setLevel(Level.INFO);
        start();
        logger.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    public List<String> messages() {
        return events.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    public List<String> warnings() {
        return events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        stop();
    }
}
