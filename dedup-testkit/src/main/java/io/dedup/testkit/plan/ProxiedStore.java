package io.dedup.testkit.plan;

import io.dedup.testkit.faults.TcpProxy;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A store behind a proxy.
 *
 * @param argument what tells the application where it is, where that is ours to tell
 * @param own whether the proxy is ours to close
 */
record ProxiedStore(TcpProxy proxy, String name, Optional<String> argument, boolean own) {
    static ProxiedStore inFrontOf(String host, int port, IntFunction<String> argument) {
        TcpProxy proxy = TcpProxy.to(host, port);
        return new ProxiedStore(proxy, host + ":" + port, Optional.of(argument.apply(proxy.port())), true);
    }

    static ProxiedStore of(TcpProxy proxy) {
        return new ProxiedStore(proxy, "the store behind port " + proxy.port(), Optional.empty(), false);
    }

    void close() {
        if (own) {
            proxy.close();
        } else {
            proxy.heal();
        }
    }
}
