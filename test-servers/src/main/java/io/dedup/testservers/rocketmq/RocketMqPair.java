package io.dedup.testservers.rocketmq;

import io.dedup.testservers.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * RocketMQ in controller mode: two brokers, each in a process of its own, of which the controller makes one the master and,
 * when that dies, the other one if it had all messages. Name server, controller and proxy are in a third process, which stays
 * up. Not thread-safe.
 */
public final class RocketMqPair implements AutoCloseable {
    /** After which a received message that wasn't acknowledged is redelivered. */
    public static final Duration INVISIBLE = Duration.ofSeconds(20);

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(30);
    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final HttpClient http = HttpClient.newHttpClient();
    private final int controlPort = Ports.free();
    private final PairProcess hub;
    private final List<PairProcess> brokers = new ArrayList<>();

    private RocketMqPair(String topic, String group, boolean synchronous) {
        Map<String, String> common = new HashMap<>();
        common.put("nameServerPort", Integer.toString(Ports.free()));
        common.put("controllerPort", Integer.toString(Ports.free()));
        common.put("topics", topic);
        common.put("groups", group);
        int proxyPort = Ports.free();
        Map<String, String> ofHub = new HashMap<>(common);
        ofHub.put("isBroker", "false");
        ofHub.put("proxyPort", Integer.toString(proxyPort));
        ofHub.put("controlPort", Integer.toString(controlPort));
        ofHub.put("proxy.defaultInvisibleTimeMills", Long.toString(INVISIBLE.toMillis()));
        hub = new PairProcess("rocketmq-hub", proxyPort, ofHub);
        for (int i = 0; i < 2; i++) {
            int port = Ports.free();
            Map<String, String> settings = new HashMap<>(common);
            settings.put("isBroker", "true");
            settings.put("brokerPort", Integer.toString(port));
            settings.put("replicationPort", Integer.toString(Ports.free()));
            settings.put("broker.allAckInSyncStateSet", Boolean.toString(synchronous));
            settings.put("broker.flushDiskType", synchronous ? "SYNC_FLUSH" : "ASYNC_FLUSH");
            brokers.add(new PairProcess("rocketmq-broker-" + i, port, settings));
        }
    }

    /**
     * Starts it, with one topic of normal messages and one consumer group.
     *
     * @param synchronous whether a message is confirmed when it is on the disks of both brokers; else when the master has
     *     it in memory
     */
    public static RocketMqPair start(String topic, String group, boolean synchronous) {
        RocketMqPair pair = new RocketMqPair(topic, group, synchronous);
        try {
            pair.hub.start();
            pair.brokers.forEach(PairProcess::start);
            pair.awaitReplicas("both brokers are in sync", replicas -> replicas.inSync() == 2 && replicas.isKnown());
            pair.ask("proxy");
        } catch (RuntimeException | Error e) {
            pair.close();
            throw e;
        }
        return pair;
    }

    /** The endpoints for {@code ClientConfiguration}. */
    public String endpoints() {
        return hub.host() + ":" + hub.port();
    }

    /** The port of the broker that is the master; 0 if there is none. */
    public int masterPort() {
        return replicas().master();
    }

    /** Ends the master by SIGKILL. */
    public void killMaster() {
        int port = replicas().master();
        brokers.stream()
                .filter(broker -> broker.port() == port)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no master"))
                .kill();
    }

    /** Waits until the controller has made the slave the master, and the name server knows. */
    public void awaitMaster() {
        awaitReplicas(
                "there is another master",
                replicas -> replicas.isKnown()
                        && brokers.stream()
                                .anyMatch(broker -> broker.isRunning() && broker.port() == replicas.master()));
    }

    /** Starts the killed broker again, and waits until it is a slave that has all messages. */
    public void restartKilled() {
        brokers.stream().filter(broker -> !broker.isRunning()).forEach(PairProcess::start);
        awaitReplicas("both brokers are in sync again", replicas -> replicas.inSync() == 2 && replicas.isKnown());
    }

    /**
     * The state according to the controller and the name server.
     *
     * @param master its port; 0 if there is none
     * @param known the master's port that clients see
     */
    private record Replicas(int master, int inSync, String known) {
        boolean isKnown() {
            return known.equals(Integer.toString(master));
        }
    }

    private void awaitReplicas(String what, Predicate<Replicas> condition) {
        long begin = System.nanoTime();
        Replicas found = replicas();
        while (!condition.test(found)) {
            if (System.nanoTime() - begin > LIMIT.toNanos()) {
                throw new IllegalStateException("not within " + LIMIT.toSeconds() + " s: " + what + "; " + found);
            }
            LockSupport.parkNanos(INTERVAL.toNanos());
            found = replicas();
        }
    }

    private Replicas replicas() {
        String[] words = ask("replicas").split(" ", -1);
        return new Replicas(Integer.parseInt(words[0]), Integer.parseInt(words[1]), words[2]);
    }

    private String ask(String what) {
        URI uri = URI.create("http://127.0.0.1:" + controlPort + "/" + what);
        try {
            var answer =
                    http.send(HttpRequest.newBuilder(uri).timeout(REQUEST_LIMIT).build(), BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(uri.getPath() + " failed: " + answer.body());
            }
            return answer.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for RocketMQ", e);
        }
    }

    @Override
    public void close() {
        brokers.forEach(PairProcess::close);
        hub.close();
    }
}
