package io.dedup.examples.method;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import jakarta.jms.JMSContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.h2.tools.Server;

/**
 * Counts what happens to messages of brokers that give a message few attempts, while the store is down, and while processes die in their handlers or are
 * stopped in an orderly way. There is no dead-letter queue: Artemis drops a message after 10 deliveries, and RabbitMQ's client rejects one for good at its
 * first failure. Two consumer processes; the seed decides what is sent and broken.
 */
final class MethodLedger implements AutoCloseable {
    static final String JMS = "artemis";
    static final String AMQP = "amqp";
    private static final List<String> BROKERS = List.of(JMS, AMQP);
    private static final long LONG_WORK_MILLIS = 2_500;
    private static final Duration BOUND = Duration.ofSeconds(90);
    private static final Duration QUIET = Duration.ofSeconds(5);

    private enum Fault {
        STORE_DOWN,
        KILLED_IN_ITS_HANDLER,
        KILLED_WHILE_THE_STORE_IS_DOWN,
        STOPPED,
        STOPPED_WHILE_THE_STORE_IS_DOWN
    }

    private final long seed;
    private final Random random;
    private final AmqpBroker rabbit = new AmqpBroker();
    private final EmbeddedActiveMQ artemis;
    private final String artemisUrl;
    private final ServerSocket effects = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    /** Attempts of each effect, by broker and ID. */
    private final Map<String, List<Integer>> counted = new ConcurrentHashMap<>();

    private final List<Process> consumers = new ArrayList<>();
    private final List<String> ids = new ArrayList<>();
    private Server database;

    private MethodLedger(long seed) throws Exception {
        this.seed = seed;
        random = new Random(seed);
        database = database("0");
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        artemisUrl = "tcp://127.0.0.1:" + port;
        ConfigurationImpl configuration = new ConfigurationImpl();
        configuration.setPersistenceEnabled(false);
        configuration.setSecurityEnabled(false);
        configuration.addAcceptorConfiguration("tcp", artemisUrl);
        artemis = new EmbeddedActiveMQ();
        artemis.setConfiguration(configuration);
        artemis.start();
        Thread counting = new Thread(this::count, "effects");
        counting.setDaemon(true);
        counting.start();
    }

    private static Server database(String port) throws SQLException {
        return Server.createTcpServer("-tcpPort", port, "-ifNotExists").start();
    }

    private void count() {
        while (!effects.isClosed()) {
            try (Socket socket = effects.accept();
                    BufferedReader in = new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
                String[] words = in.readLine().split(" ", -1);
                counted.computeIfAbsent(words[0] + " " + words[1], any -> new CopyOnWriteArrayList<>())
                        .add(Integer.valueOf(words[2]));
                socket.getOutputStream().write(1);
            } catch (IOException | NullPointerException e) {
                // a process that was killed meanwhile, or the end
            }
        }
    }

    private Process consumer() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dh2.socketConnectRetry=1",
                "-cp",
                System.getProperty("java.class.path"),
                LedgerListeners.class.getName(),
                "effects=" + effects.getLocalPort(),
                "spring.main.web-application-type=none",
                "spring.main.banner-mode=off",
                "spring.config.name=none",
                "spring.artemis.mode=native",
                "spring.artemis.broker-url=" + artemisUrl,
                "spring.rabbitmq.port=" + rabbit.port(),
                "spring.rabbitmq.listener.simple.default-requeue-rejected=false",
                "spring.rabbitmq.listener.simple.prefetch=3",
                "spring.rabbitmq.listener.simple.concurrency=2",
                "spring.jms.listener.min-concurrency=2",
                "spring.datasource.url=jdbc:h2:tcp://127.0.0.1:" + database.getPort() + "/mem:ledger" + seed
                        + ";DB_CLOSE_DELAY=-1",
                "spring.datasource.type=org.springframework.jdbc.datasource.SimpleDriverDataSource",
                "dedup.store=jdbc",
                "dedup.jdbc.initialize-schema=always",
                "dedup.defaults.lease=3s",
                "dedup.defaults.in-flight-wait=20ms",
                "dedup.defaults.max-defer-delay=20ms"));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        Path.of("target", "method-ledger.log").toFile()))
                .start();
        CountDownLatch ready = new CountDownLatch(1);
        Thread reader = new Thread(() -> process.inputReader().lines().forEach(line -> ready.countDown()), "ready");
        reader.setDaemon(true);
        reader.start();
        if (!ready.await(5, TimeUnit.MINUTES)) {
            throw new IllegalStateException("a consumer hasn't started; see target/method-ledger.log");
        }
        return process;
    }

    private void replace(int which, boolean kill) throws IOException, InterruptedException {
        if (kill) {
            consumers.get(which).destroyForcibly().waitFor();
        } else {
            consumers.get(which).outputWriter().close();
            consumers.get(which).waitFor();
        }
    }

    private void carryOut(Fault fault) throws Exception {
        int which = random.nextInt(consumers.size());
        long millis = 500L + random.nextInt(5_000);
        boolean kill = fault == Fault.KILLED_IN_ITS_HANDLER || fault == Fault.KILLED_WHILE_THE_STORE_IS_DOWN;
        boolean ends = fault != Fault.STORE_DOWN;
        int port = database.getPort();
        boolean down = fault != Fault.KILLED_IN_ITS_HANDLER && fault != Fault.STOPPED;
        if (ends && kill) {
            TimeUnit.MILLISECONDS.sleep(LONG_WORK_MILLIS / 4 + random.nextInt(500)); // one is in its handler now
        }
        if (down) {
            database.stop();
            TimeUnit.MILLISECONDS.sleep(millis);
        }
        if (ends) {
            replace(which, kill);
        }
        if (down) {
            TimeUnit.MILLISECONDS.sleep(millis);
            database = database(String.valueOf(port));
        }
        if (ends) {
            consumers.set(which, consumer());
        }
    }

    private Map<String, Integer> run(int messages, int faults) throws Exception {
        List<Fault> plan = new ArrayList<>();
        while (plan.size() < faults) {
            List<Fault> round = new ArrayList<>(List.of(Fault.values()));
            Collections.shuffle(round, random);
            plan.addAll(round.subList(0, Math.min(round.size(), faults - plan.size())));
        }
        ConnectionFactory factory = new ConnectionFactory();
        factory.setPort(rabbit.port());
        try (ActiveMQConnectionFactory jms = new ActiveMQConnectionFactory(artemisUrl);
                JMSContext context = jms.createContext();
                Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare("orders", true, false, false, null);
            consumers.add(consumer());
            consumers.add(consumer());
            for (int chunk = 0; chunk <= faults; chunk++) {
                for (int i = 0; i < messages / (faults + 1); i++) {
                    String id = "s" + seed + "m" + ids.size();
                    ids.add(id);
                    String work = Long.toString(i % 5 == 0 ? LONG_WORK_MILLIS : random.nextInt(20));
                    for (int copies = random.nextInt(4) == 0 ? 2 : 1; copies > 0; copies--) {
                        send(context, channel, id, work);
                    }
                }
                if (chunk < faults) {
                    System.out.println(plan.get(chunk));
                    carryOut(plan.get(chunk));
                }
            }
            awaitEffects();
            for (int i = 0; i < consumers.size(); i++) {
                replace(i, false);
            }
            Map<String, Integer> result = new TreeMap<>();
            result.put(JMS + " left", left(context));
            result.put(AMQP + " left", (int) channel.messageCount("orders"));
            BROKERS.forEach(broker -> tally(broker, result));
            return result;
        }
    }

    private static void send(JMSContext context, Channel channel, String id, String work) throws IOException {
        context.createProducer().setProperty("orderId", id).send(context.createQueue("orders"), work);
        channel.basicPublish(
                "",
                "orders",
                new BasicProperties.Builder()
                        .contentType("text/plain")
                        .headers(Map.of("orderId", id))
                        .build(),
                work.getBytes(StandardCharsets.UTF_8));
    }

    private static int left(JMSContext context) throws Exception {
        try (var browser = context.createBrowser(context.createQueue("orders"))) {
            int left = 0;
            for (var messages = browser.getEnumeration(); messages.hasMoreElements(); left++) {
                Object unused = messages.nextElement();
            }
            return left;
        }
    }

    /** Until every message has an effect, or none has come for a while; and a little longer, for those that come twice. */
    private void awaitEffects() throws InterruptedException {
        long until = System.nanoTime() + BOUND.toNanos();
        int before = 0;
        while (counted.size() < BROKERS.size() * ids.size() && System.nanoTime() - until < 0) {
            if (counted.size() > before) {
                before = counted.size();
                until = System.nanoTime() + BOUND.toNanos();
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        TimeUnit.NANOSECONDS.sleep(QUIET.toNanos());
    }

    private void tally(String broker, Map<String, Integer> result) {
        int lost = 0;
        int doubled = 0;
        int unseen = 0;
        for (String id : ids) {
            List<Integer> attempts = counted.getOrDefault(broker + " " + id, List.of());
            lost += attempts.isEmpty() ? 1 : 0;
            int more = Math.max(0, attempts.size() - 1);
            int later = (int) attempts.stream().filter(attempt -> attempt > 1).count();
            doubled += more;
            unseen += Math.max(0, more - later);
        }
        result.put(broker + " messages", ids.size());
        result.put(broker + " without an effect", lost);
        result.put(broker + " doubled", doubled);
        result.put(broker + " doubled with attempt 1", unseen);
    }

    @Override
    public void close() throws IOException {
        consumers.forEach(Process::destroyForcibly);
        try {
            artemis.stop();
        } catch (Exception e) {
            throw new IOException(e);
        }
        rabbit.close();
        database.stop();
        effects.close();
    }

    /** Arguments: messages, faults, and the first and the last seed. Exits with 1 if a message was lost or doubled without a sign. */
    public static void main(String[] args) throws Exception {
        boolean kept = true;
        String[] seeds = args[2].split(",", -1);
        for (long seed = Long.parseLong(seeds[0]); seed <= Long.parseLong(seeds[seeds.length - 1]); seed++) {
            try (MethodLedger ledger = new MethodLedger(seed)) {
                Map<String, Integer> result = ledger.run(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
                System.out.println("seed " + seed + " " + result);
                for (String broker : BROKERS) {
                    kept &= result.get(broker + " without an effect") == 0
                            && result.get(broker + " doubled with attempt 1") == 0;
                }
            }
        }
        System.exit(kept ? 0 : 1); // the brokers' threads would keep the JVM alive
    }
}
