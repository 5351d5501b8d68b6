package io.dedup.examples.method;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.spring.boot.Deduplicated;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.messaging.handler.annotation.Header;

/** A consumer process of the {@link MethodLedger}. It stops in an orderly way when its standard input ends. */
final class LedgerListeners {
    private LedgerListeners() {}

    /** No {@code @Configuration}, which the shop's component scan would find here. */
    @EnableAutoConfiguration
    @Import({Stock.class, Attempts.class})
    static class App {}

    /** Of each message, by broker. */
    static final class Attempts implements DedupListener {
        private final Map<DedupKey, Integer> attempts = new ConcurrentHashMap<>();

        @Override
        public void acquired(DedupKey key, int attempt) {
            attempts.put(new DedupKey(key.scope(), key.messageId()), attempt);
        }

        int of(String broker, String id) {
            return attempts.entrySet().stream()
                    .filter(each -> each.getKey().scope().topic().equals(broker)
                            && each.getKey().messageId().equals(id))
                    .mapToInt(Map.Entry::getValue)
                    .findFirst()
                    .orElse(0);
        }
    }

    static class Stock {
        private final Attempts attempts;
        private final int effects;

        Stock(Attempts attempts, @Value("${effects}") int effects) {
            this.attempts = attempts;
            this.effects = effects;
        }

        @RabbitListener(queues = "orders")
        @Deduplicated(topic = MethodLedger.AMQP, consumer = "stock", id = "#id")
        public void fromRabbit(String millis, @Header("orderId") String id) {
            work(MethodLedger.AMQP, id, Long.parseLong(millis));
        }

        @JmsListener(destination = "orders")
        @Deduplicated(topic = MethodLedger.JMS, consumer = "stock", id = "#id")
        public void fromJms(String millis, @Header("orderId") String id) {
            work(MethodLedger.JMS, id, Long.parseLong(millis));
        }

        /** The effect is in another process, between two halves of the work. */
        private void work(String broker, String id, long millis) {
            int attempt = attempts.of(broker, id);
            LockSupport.parkNanos(Duration.ofMillis(millis).toNanos() / 2);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), effects);
                    PrintWriter out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8)) {
                out.println(broker + " " + id + " " + attempt);
                if (socket.getInputStream().read() < 0) {
                    throw new IllegalStateException("not counted");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            LockSupport.parkNanos(Duration.ofMillis(millis).toNanos() / 2);
        }
    }

    /** Arguments: properties. */
    public static void main(String[] properties) throws IOException {
        ConfigurableApplicationContext app =
                new SpringApplicationBuilder(App.class).properties(properties).run();
        System.out.println("READY");
        System.out.flush();
        while (System.in.read() >= 0) {
            // until the ledger closes it
        }
        app.close();
        Runtime.getRuntime().halt(0);
    }
}
