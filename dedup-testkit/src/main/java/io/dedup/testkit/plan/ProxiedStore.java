package io.dedup.testkit.plan;

import io.dedup.testkit.faults.TcpProxy;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A store behind a proxy.
 *
 * @param argument the application's argument that points to the proxy; empty if the application is configured already
 * @param own whether the proxy is closed with the run
 */
record ProxiedStore(TcpProxy proxy, String name, Optional<String> argument, boolean own) {
    static ProxiedStore inFrontOf(String host, int port, IntFunction<String> argument) {
        TcpProxy proxy = TcpProxy.to(host, port);
        return new ProxiedStore(proxy, host + ":" + port, Optional.of(argument.apply(proxy.port())), true);
    }

    static ProxiedStore of(TcpProxy proxy) {
        return new ProxiedStore(proxy, "the store behind port " + proxy.port(), Optional.empty(), false);
    }

    /** What to change if the application doesn't use the proxy. Names only the setting: its value may hold a password. */
    String remedy() {
        return argument.filter(text -> text.startsWith("-") && text.contains("="))
                .map(text -> "Is " + text.substring(0, text.indexOf('='))
                        + ", which store(...) returns, the setting that the application reads, and set nowhere else?")
                .orElse(
                        own
                                ? "Does the application read the argument that store(...) returns?"
                                : "Start the listener with this port in place of the store's");
    }

    void close() {
        if (own) {
            proxy.close();
        } else {
            proxy.heal();
        }
    }
}
