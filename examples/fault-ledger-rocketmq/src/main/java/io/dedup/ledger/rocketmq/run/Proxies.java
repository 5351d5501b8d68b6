package io.dedup.ledger.rocketmq.run;

import io.dedup.ledger.rocketmq.consumer.Assignment;
import io.dedup.ledger.rocketmq.plan.Circumstances;
import io.dedup.ledger.rocketmq.plan.RocketRow;
import io.dedup.testkit.faults.TcpProxy;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Between consumers and stores, one for each row and store; and one between the newer clients and RocketMQ's proxy. */
final class Proxies implements AutoCloseable {
    private record OfRow(Duration latency, List<TcpProxy> redis, List<TcpProxy> database) {
        Stream<TcpProxy> all() {
            return Stream.concat(redis.stream(), database.stream());
        }
    }

    private final Servers servers;
    private final TcpProxy broker;
    private final Map<RocketRow, OfRow> stores = new LinkedHashMap<>();

    Proxies(Servers servers, Collection<RocketRow> rows, long seed) {
        this.servers = servers;
        this.broker = TcpProxy.to(servers.broker().port());
        for (RocketRow row : rows) {
            stores.put(
                    row,
                    new OfRow(
                            Circumstances.of(seed, row).latency(),
                            row.mode().redis() ? List.of(TcpProxy.to(servers.redisPort())) : List.of(),
                            row.mode().database() ? List.of(TcpProxy.to(servers.postgresPort())) : List.of()));
        }
        heal();
    }

    /** Where newer clients find RocketMQ. */
    String endpoints() {
        return servers.broker().host() + ":" + broker.port();
    }

    /** Where each row's consumers find its stores. */
    List<Assignment.Place> places() {
        return stores.entrySet().stream()
                .map(entry -> new Assignment.Place(
                        entry.getKey(),
                        entry.getValue().redis().stream()
                                .mapToInt(TcpProxy::port)
                                .findFirst()
                                .orElse(0),
                        entry.getValue().database().stream()
                                .map(proxy -> servers.database().jdbcUrlThrough(proxy.port()))
                                .findFirst()
                                .orElse("")))
                .toList();
    }

    TcpProxy broker() {
        return broker;
    }

    /** Connections stay open, without answers. */
    void hang() {
        stores().forEach(TcpProxy::freeze);
    }

    /** The stores have closed all connections, but consumers don't notice; new connections work. */
    void halfOpen() {
        stores().forEach(TcpProxy::halfOpen);
    }

    /** No connections, and no new ones. */
    void cut() {
        stores().forEach(TcpProxy::refuse);
        stores().forEach(TcpProxy::cut);
    }

    /** Requests are executed, and the answers are thrown away. */
    void loseReplies() {
        stores().forEach(TcpProxy::dropReplies);
    }

    /** Closes connections, which may be made again. */
    void reset() {
        stores().forEach(TcpProxy::cut);
    }

    void slow(Duration latency) {
        stores().forEach(proxy -> proxy.delay(latency));
    }

    void heal() {
        for (OfRow row : stores.values()) {
            row.all().forEach(TcpProxy::heal);
            row.all().forEach(proxy -> proxy.delay(row.latency()));
        }
    }

    /** How often a row's consumers have asked a store something and waited for the answer. */
    long roundTrips(RocketRow row) {
        return Objects.requireNonNull(stores.get(row))
                .all()
                .mapToLong(TcpProxy::roundTrips)
                .sum();
    }

    private List<TcpProxy> stores() {
        return stores.values().stream().flatMap(OfRow::all).toList();
    }

    @Override
    public void close() {
        broker.close();
        stores().forEach(TcpProxy::close);
    }
}
