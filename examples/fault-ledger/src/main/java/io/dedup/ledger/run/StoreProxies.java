package io.dedup.ledger.run;

import io.dedup.ledger.consumer.Assignment;
import io.dedup.ledger.plan.Pass;
import io.dedup.ledger.plan.Row;
import io.dedup.testkit.faults.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Between consumers and stores: a proxy for each row and store. */
final class StoreProxies implements AutoCloseable {
    private final Servers servers;
    private final Pass pass;
    private final Map<Row, List<TcpProxy>> proxies = new LinkedHashMap<>();

    StoreProxies(Servers servers, Pass pass) {
        this.pass = pass;
        this.servers = servers;
        for (Row row : pass.rows()) {
            List<TcpProxy> ofRow = new ArrayList<>();
            for (int i = 0; i < row.redisServers(); i++) {
                ofRow.add(TcpProxy.to(servers.redisPort(i)));
            }
            if (row.database()) {
                ofRow.add(TcpProxy.to(servers.postgresPort()));
            }
            proxies.put(row, ofRow);
        }
        delay(Duration.ZERO);
    }

    /** Where each row's consumers find its stores. */
    List<Assignment.Place> places() {
        List<Assignment.Place> places = new ArrayList<>();
        proxies.forEach((row, ofRow) -> places.add(new Assignment.Place(
                row,
                pass.of(row),
                ofRow.subList(0, row.redisServers()).stream()
                        .map(TcpProxy::port)
                        .toList(),
                row.database()
                        ? servers.database()
                                .jdbcUrlThrough(ofRow.get(row.redisServers()).port())
                        : null)));
        return places;
    }

    /** Connections stay open, without answers. */
    void hang() {
        all().forEach(TcpProxy::freeze);
    }

    /** The stores have closed all connections, but consumers don't notice; new connections work. */
    void halfOpen() {
        all().forEach(TcpProxy::halfOpen);
    }

    /** No connections, and no new ones. */
    void cut() {
        all().forEach(TcpProxy::refuse);
        all().forEach(TcpProxy::cut);
    }

    /** Requests are executed, and the answers are thrown away. */
    void loseReplies() {
        all().forEach(TcpProxy::dropReplies);
    }

    /** Closes connections, which may be made again. */
    void reset() {
        all().forEach(TcpProxy::cut);
    }

    /** Answers come, but later than they do in this row's circumstances. */
    void slow(Duration more) {
        delay(more);
    }

    private void delay(Duration more) {
        proxies.forEach((row, ofRow) ->
                ofRow.forEach(proxy -> proxy.delay(pass.of(row).delay().plus(more))));
    }

    void heal() {
        all().forEach(TcpProxy::heal);
        delay(Duration.ZERO);
    }

    /** How often a row's consumers have asked a store something and waited for the answer. */
    long roundTrips(Row row) {
        return Objects.requireNonNull(proxies.get(row)).stream()
                .mapToLong(TcpProxy::roundTrips)
                .sum();
    }

    private List<TcpProxy> all() {
        return proxies.values().stream().flatMap(List::stream).toList();
    }

    @Override
    public void close() {
        all().forEach(TcpProxy::close);
    }
}
