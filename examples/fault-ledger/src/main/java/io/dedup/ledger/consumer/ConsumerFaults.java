package io.dedup.ledger.consumer;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Faults within a consumer process, between dedup's modes and Kafka's consumers. Rows of other schemes are
 * spared, because plain spring-kafka would lose messages in them. Thread-safe.
 */
public final class ConsumerFaults {
    private static final Logger log = LoggerFactory.getLogger(ConsumerFaults.class);
    private static final Duration BETWEEN_WAKE_UPS = Duration.ofMillis(40);

    private final List<Consumer<?, ?>> consumers = new CopyOnWriteArrayList<>();
    private final List<MessageListenerContainer> containers = new CopyOnWriteArrayList<>();
    private final List<FailingCommits> commits = new CopyOnWriteArrayList<>();

    /** The command to wake consumers up for this number of milliseconds. */
    public static String wakeUps(int millis, int seed) {
        return "wake-up " + millis + " " + seed;
    }

    /** The command to make this number of commits of each consumer fail, or most of them. */
    public static String failingCommits(int count) {
        return "fail-commits " + count;
    }

    void obey(String order) {
        String[] words = order.split(" ", -1);
        switch (words[0]) {
            case "wake-up" -> {
                Duration time = Duration.ofMillis(Long.parseLong(words[1]));
                Thread waking = new Thread(() -> wakeUp(time, new Random(Long.parseLong(words[2]))), "wake-up");
                waking.setDaemon(true);
                waking.start();
            }
            case "fail-commits" -> commits.forEach(each -> each.fail(Integer.parseInt(words[1])));
            default -> log.error("no order: {}", order);
        }
    }

    void add(MessageListenerContainer container) {
        containers.add(container);
    }

    private void wakeUp(Duration time, Random random) {
        long until = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos((long) (random.nextDouble() * BETWEEN_WAKE_UPS.toNanos()));
            consumers.forEach(Consumer::wakeup);
            if (containers.isEmpty()) {
                continue;
            }
            MessageListenerContainer container = containers.get(random.nextInt(containers.size()));
            try {
                switch (random.nextInt(6)) {
                    case 0 -> container.pause();
                    case 1 -> container.enforceRebalance();
                    default -> container.resume();
                }
            } catch (RuntimeException e) {
                log.info("{} can't be paused or resumed now", container.getListenerId(), e);
            }
        }
        containers.forEach(MessageListenerContainer::resume);
    }

    @SuppressWarnings("unchecked")
    Consumer<String, String> around(Consumer<String, String> real) {
        consumers.add(real);
        FailingCommits failing = new FailingCommits();
        commits.add(failing);
        return (Consumer<String, String>) Proxy.newProxyInstance(
                ConsumerFaults.class.getClassLoader(), new Class<?>[] {Consumer.class}, (self, method, arguments) -> {
                    boolean isCommit = method.getName().equals("commitSync");
                    if (isCommit) {
                        failing.before();
                    } else if (method.getName().equals("close")) {
                        consumers.remove(real);
                        commits.remove(failing);
                    }
                    try {
                        Object answer = method.invoke(real, arguments);
                        if (isCommit) {
                            failing.after();
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
