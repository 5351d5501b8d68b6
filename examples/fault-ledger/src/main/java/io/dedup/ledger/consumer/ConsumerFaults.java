package io.dedup.ledger.consumer;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;

/**
 * Faults within a consumer process, between dedup's modes and Kafka's consumers. Rows of other schemes are
 * spared, because plain spring-kafka would lose messages in them. Thread-safe.
 */
public final class ConsumerFaults {
    private static final Logger log = LoggerFactory.getLogger(ConsumerFaults.class);
    /** Printed when {@link #restarts} are over. */
    public static final String RESTARTED = "RESTARTED";

    private static final Duration BETWEEN_WAKE_UPS = Duration.ofMillis(40);
    private static final Duration SILENCE = Duration.ofMillis(1_500);

    private final List<Consumer<?, ?>> consumers = new CopyOnWriteArrayList<>();
    private final List<MessageListenerContainer> containers = new CopyOnWriteArrayList<>();
    private final List<FailingCommits> commits = new CopyOnWriteArrayList<>();
    private final AtomicInteger answersToLose = new AtomicInteger();
    private final AtomicLong silentUntil = new AtomicLong(System.nanoTime());
    private final Set<MessageListenerContainer> restarting = ConcurrentHashMap.newKeySet();
    private volatile boolean idsAreThere;

    ConsumerFaults(boolean idsAreThere) {
        this.idsAreThere = idsAreThere;
    }

    /** The command to find the messages' IDs from now on. */
    public static String idsCome() {
        return "ids-come";
    }

    /** The command to stop and start what is in share groups, so many times. */
    public static String restarts(int count) {
        return "restart " + count;
    }

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
                inBackground(() -> wakeUp(time, new Random(Long.parseLong(words[2]))));
            }
            case "fail-commits" -> {
                int count = Integer.parseInt(words[1]);
                commits.forEach(each -> each.fail(count));
                answersToLose.set((count + 3) / 4);
            }
            case "restart" ->
                inBackground(() -> {
                    for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                        containers.stream()
                                .filter(ShareKafkaMessageListenerContainer.class::isInstance)
                                .forEach(this::restart);
                    }
                    System.out.println(RESTARTED);
                    System.out.flush();
                });
            case "ids-come" -> idsAreThere = true;
            default -> log.error("no order: {}", order);
        }
    }

    void add(MessageListenerContainer container) {
        containers.add(container);
    }

    /** Whether the consumers find the messages' IDs. */
    boolean areIdsThere() {
        return idsAreThere;
    }

    /** Whether it runs, or is stopped by a fault alone. */
    boolean isRunning(MessageListenerContainer container) {
        return restarting.contains(container) || container.isRunning();
    }

    private void restart(MessageListenerContainer container) {
        if (restarting.add(container)) {
            container.stop();
            container.start();
            restarting.remove(container);
        }
    }

    /** In an orderly way, for good. */
    void stop() {
        restarting.addAll(containers); // nobody wonders
        containers.parallelStream().forEach(MessageListenerContainer::stop);
    }

    private static void inBackground(Runnable work) {
        Thread thread = new Thread(work, "fault");
        thread.setDaemon(true);
        thread.start();
    }

    private void wakeUp(Duration time, Random random) {
        long until = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos((long) (random.nextDouble() * BETWEEN_WAKE_UPS.toNanos()));
            consumers.forEach(Consumer::wakeup);
            List<MessageListenerContainer> all = pausable();
            if (all.isEmpty()) {
                continue;
            }
            MessageListenerContainer container = all.get(random.nextInt(all.size()));
            try {
                switch (random.nextInt(6)) {
                    case 0 -> container.pause();
                    case 1 -> container.enforceRebalance();
                    default -> container.resume();
                }
            } catch (RuntimeException e) {
                log.info("{} cannot be paused or resumed now", container.getListenerId(), e);
            }
        }
        pausable().forEach(MessageListenerContainer::resume);
    }

    private List<MessageListenerContainer> pausable() {
        return containers.stream()
                .filter(container -> !(container instanceof ShareKafkaMessageListenerContainer))
                .toList();
    }

    /** Where commits fail, those of this producer are executed, and the partitions leave before anybody hears of it. */
    @SuppressWarnings("unchecked")
    Producer<String, String> losingAnswers(Producer<String, String> real, String group) {
        return (Producer<String, String>) Proxy.newProxyInstance(
                ConsumerFaults.class.getClassLoader(), new Class<?>[] {Producer.class}, (self, method, arguments) -> {
                    Object answer = invoke(real, method, arguments);
                    if (method.getName().equals("commitTransaction") && answersToLose.getAndDecrement() > 0) {
                        silentUntil.set(System.nanoTime() + SILENCE.toNanos());
                        containers.stream()
                                .filter(container -> group.equals(container.getGroupId()))
                                .forEach(container -> inBackground(() -> restart(container)));
                        throw new TimeoutException("injected: the answer to the commit is lost");
                    }
                    return answer;
                });
    }

    private static @Nullable Object invoke(Object real, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @SuppressWarnings("unchecked")
    Consumer<String, String> around(Consumer<String, String> real) {
        consumers.add(real);
        FailingCommits failing = new FailingCommits();
        commits.add(failing);
        return (Consumer<String, String>) Proxy.newProxyInstance(
                ConsumerFaults.class.getClassLoader(), new Class<?>[] {Consumer.class}, (self, method, arguments) -> {
                    if (method.getName().equals("committed") && System.nanoTime() - silentUntil.get() < 0) {
                        throw new TimeoutException("injected: nobody knows whether it was committed");
                    }
                    boolean isCommit = method.getName().equals("commitSync");
                    if (isCommit) {
                        failing.before();
                    } else if (method.getName().equals("close")) {
                        consumers.remove(real);
                        commits.remove(failing);
                    }
                    Object answer = invoke(real, method, arguments);
                    if (isCommit) {
                        failing.after();
                    }
                    return answer;
                });
    }
}
