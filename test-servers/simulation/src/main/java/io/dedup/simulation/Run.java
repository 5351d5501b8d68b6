package io.dedup.simulation;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.simulation.Circumstances.Listening;
import io.dedup.simulation.kafka.SimulatedBroker;
import io.dedup.simulation.kafka.SimulatedConsumer;
import io.dedup.simulation.kafka.SimulatedConsumers;
import io.dedup.simulation.kafka.SimulatedProducers;
import io.dedup.simulation.kafka.Trouble;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.transaction.KafkaTransactionManager;

/** Runs one seed: the real container and the real adapter on a simulated broker, from the first record to the verdict. */
final class Run {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Polls that must find nothing more to do before a run counts as quiet. */
    private static final int IDLE_POLLS = 60;

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String TOPIC = "orders";

    private final long seed;
    private final Circumstances circumstances;
    private final Random random;
    private final List<String> steps = Collections.synchronizedList(new ArrayList<>());
    private final SimulatedBroker broker;
    private final List<String> ids = new ArrayList<>();
    private final Application application;
    private final SettableClock clock = new SettableClock();
    private final InMemoryDedupStore records =
            new InMemoryDedupStore(clock, InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);
    private final AtomicInteger storeFaults;
    private final Queue<String> arrivals = new ArrayDeque<>();
    private int crashes;

    private Run(long seed, Circumstances circumstances, Random random) {
        this.seed = seed;
        this.circumstances = circumstances;
        this.random = random;
        this.broker = new SimulatedBroker(TOPIC, circumstances.partitions());
        for (int i = 0; i < circumstances.messages(); i++) {
            ids.add("m" + i);
        }
        this.storeFaults = new AtomicInteger(circumstances.storeFaults());
        this.application = new Application(circumstances, ids, random, steps::add);
    }

    static Verdict of(long seed) {
        Random random = new Random(seed);
        return new Run(seed, Circumstances.draw(random), random).run();
    }

    private Verdict run() {
        fill();
        arrive(random.nextBoolean());
        Trouble trouble = new Trouble(random, circumstances.trouble(), circumstances.faults(), circumstances.oneIn());
        boolean stuck = consume(trouble);
        steps.add("---- a new process, without faults");
        stuck |= consume(Trouble.none());
        return verdict(stuck);
    }

    /** What producers will send, in this order: each message, and later copies of some. */
    private void fill() {
        List<String> sent = new ArrayList<>(ids);
        for (int i = 0; i < circumstances.copies(); i++) {
            sent.add(random.nextInt(sent.size() + 1), ids.get(random.nextInt(ids.size())));
        }
        arrivals.addAll(sent);
    }

    /** Some records arrive, or all if {@code atOnce}; some offsets stay without one. */
    private void arrive(boolean atOnce) {
        for (int i = atOnce ? arrivals.size() : random.nextInt(1 + circumstances.arrivals()); i > 0; i--) {
            String id = arrivals.poll();
            if (id == null) {
                return;
            }
            int partition = random.nextInt(circumstances.partitions());
            if (random.nextInt(12) == 0) {
                broker.gap(partition);
            }
            broker.append(partition, id, id);
        }
    }

    /** Consumes, in as many processes as it takes, until nothing more happens. Returns whether that took too long. */
    private boolean consume(Trouble trouble) {
        End end = End.CRASHED;
        while (end == End.CRASHED) {
            FailingStore process = new FailingStore(records, storeFaults, steps::add);
            try (Deduplicator dedup = deduplicator(process);
                    KafkaDedup kafka = KafkaDedup.builder(dedup)
                            .id(KafkaMessageIds.header("id"))
                            .claimAhead(circumstances.claimAhead())
                            .build()) {
                do {
                    end = consume(kafka, process, trouble);
                } while (end == End.RESTARTED);
            }
            if (end == End.CRASHED) {
                crashes++;
                application.crashed();
                clock.advance(LEASE.multipliedBy(2));
            }
        }
        return end == End.STUCK;
    }

    private Deduplicator deduplicator(FailingStore process) {
        return Deduplicators.builder(process.asStore())
                .consumer("group")
                .shutdownTimeout(Duration.ofSeconds(1))
                .topic(
                        TOPIC,
                        policy -> policy.lease(LEASE)
                                .maxProcessingTime(LEASE)
                                .inFlightWait(Duration.ZERO)
                                .maxDeferDelay(Duration.ofMillis(10)))
                .build();
    }

    /** Runs one container until nothing more happens in it, or until it is to end. */
    private End consume(KafkaDedup kafka, FailingStore process, Trouble trouble) {
        Observation observation = new Observation(process);
        ConcurrentMessageListenerContainer<String, String> container = container(trouble, observation);
        kafka.decorate(container);
        container.start();
        try {
            if (observation.ended.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return observation.end;
            }
            steps.add("---- no more faults");
            trouble.end();
            storeFaults.set(0);
            clock.advance(LEASE.multipliedBy(2)); // a commit that got no answer is decided by the end of its lease
            return observation.ended.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    ? observation.end
                    : End.STUCK;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            storeFaults.set(observation.end == End.IDLE ? 0 : storeFaults.get());
            container.stop();
        }
    }

    private enum End {
        IDLE,
        RESTARTED,
        CRASHED,
        STUCK
    }

    private final class Observation implements SimulatedConsumer.Observer {
        private final FailingStore process;
        private final Semaphore ended = new Semaphore(0);
        private volatile End end = End.STUCK;
        private int idlePolls;

        Observation(FailingStore process) {
            this.process = process;
        }

        @Override
        public void step(String step) {
            steps.add(step);
            idlePolls = 0;
        }

        @Override
        public void polling() {
            arrive(false);
            application.polling();
        }

        @Override
        public void idle() {
            if (arrivals.isEmpty() && application.isQuiet() && ++idlePolls == IDLE_POLLS) {
                end = End.IDLE;
                ended.release();
            }
        }

        @Override
        public void restart(boolean crash) {
            end = crash ? End.CRASHED : End.RESTARTED;
            if (crash) {
                process.kill();
            }
            ended.release();
        }
    }

    private void configure(ContainerProperties properties) {
        properties.setAckMode(circumstances.ackMode());
        properties.setAckCount(3);
        properties.setPollTimeout(50);
        properties.setShutdownTimeout(5_000);
        properties.setGroupId("group");
        properties.setAsyncAcks(circumstances.asyncAcks());
    }

    private ConcurrentMessageListenerContainer<String, String> ofMethod(SimulatedConsumers consumers) {
        ConcurrentKafkaListenerContainerFactory<String, String> factory =
                new ConcurrentKafkaListenerContainerFactory<>();
        factory.setConsumerFactory(consumers);
        factory.setBatchListener(circumstances.batch());
        configure(factory.getContainerProperties());
        MethodKafkaListenerEndpoint<String, String> endpoint = application.endpoint();
        endpoint.setId("simulated");
        endpoint.setTopics(TOPIC);
        return factory.createListenerContainer(endpoint);
    }

    private ConcurrentMessageListenerContainer<String, String> container(
            Trouble trouble, SimulatedConsumer.Observer observer) {
        SimulatedConsumers consumers = new SimulatedConsumers(
                broker,
                trouble,
                observer,
                circumstances.reset(),
                circumstances.protocol(),
                circumstances.maxPollRecords());
        ConcurrentMessageListenerContainer<String, String> container;
        if (circumstances.listening() == Listening.INTERFACE) {
            container = new ConcurrentMessageListenerContainer<>(consumers, new ContainerProperties(TOPIC));
            container.getContainerProperties().setMessageListener(application.listener());
            configure(container.getContainerProperties());
        } else {
            container = ofMethod(consumers);
        }
        container.setBeanName("simulated");
        if (circumstances.inKafkaTransaction()) {
            SimulatedProducers producers = new SimulatedProducers(broker, trouble, observer);
            container
                    .getContainerProperties()
                    .setKafkaAwareTransactionManager(new KafkaTransactionManager<>(producers));
            application.outputs(new KafkaTemplate<>(producers));
        } else {
            application.outputs(null);
        }
        application.configure(container);
        return container;
    }

    private Verdict verdict(boolean stuck) {
        List<String> outputs = broker.outputs();
        Set<String> lost = new LinkedHashSet<>();
        Map<String, Integer> doubled = new TreeMap<>();
        for (String id : ids) {
            int effects = circumstances.inKafkaTransaction()
                    ? Collections.frequency(outputs, id)
                    : application.effects().getOrDefault(id, 0);
            if (effects == 0 && !application.gaveUp(id)) {
                lost.add(id);
            }
            if (effects > 1 + crashes) { // a crash may repeat what was handled and not recorded
                doubled.put(id, effects);
            }
        }
        Map<TopicPartition, Long> committed = broker.committed();
        steps.add("committed at the end: " + committed);
        return new Verdict(seed, circumstances, lost, doubled, stuck, List.copyOf(steps));
    }
}
