package io.dedup.rocketmq.internal.loop;

import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.claim.MessageClaims;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.text.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives messages while there is room for them, and has them claimed, until the loop stops. */
final class Receiver implements Runnable {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final SimpleConsumer consumer;
    private final LoopSettings settings;
    private final MessageDeliveries deliveries;
    private final OpenMessages open;
    private final Acknowledgments acknowledgments;
    private final MessageClaims claims;

    Receiver(
            SimpleConsumer consumer,
            LoopSettings settings,
            MessageDeliveries deliveries,
            OpenMessages open,
            Acknowledgments acknowledgments,
            MessageClaims claims) {
        this.consumer = consumer;
        this.settings = settings;
        this.deliveries = deliveries;
        this.open = open;
        this.acknowledgments = acknowledgments;
        this.claims = claims;
    }

    @Override
    public void run() {
        Duration pause = FIRST_PAUSE;
        boolean ended = false;
        while (!ended) {
            try {
                ended = !receive();
                pause = FIRST_PAUSE;
            } catch (Throwable e) { // without this thread the loop would stop silently
                if (open.isStopping()) {
                    return;
                }
                log.warn(
                        "Consumer group {} cannot receive messages; retrying in {} ms: {}",
                        consumer.getConsumerGroup(),
                        pause.toMillis(),
                        Printable.ofException(e));
                log.debug("Cannot receive messages", e);
                open.awaitStop(pause);
                Duration longer = pause.multipliedBy(2);
                pause = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
            }
        }
    }

    /** Returns false if the loop stops. */
    private boolean receive() throws ClientException {
        List<OpenMessage> messages;
        Optional<List<OpenMessage>> turns;
        try { // from here on others may wait for the end of this receive
            int room = open.awaitRoom();
            if (room == 0) {
                return false;
            }
            messages = new ArrayList<>();
            for (MessageView view :
                    consumer.receive(Math.min(room, settings.batchSize()), settings.invisibleDuration())) {
                try {
                    messages.add(new OpenMessage(view, deliveries.of(view)));
                } catch (RuntimeException | Error e) { // the other messages are handled nevertheless
                    log.error(
                            "Cannot read the message in {}; the broker redelivers it",
                            MessageDeliveries.origin(view),
                            e);
                }
            }
            turns = open.add(messages);
            if (turns.isEmpty()) {
                acknowledgments.refuse(messages);
            }
        } finally {
            open.endReceive();
        }
        if (turns.isPresent()) {
            claims.claim(turns.get(), messages);
        }
        return true;
    }
}
