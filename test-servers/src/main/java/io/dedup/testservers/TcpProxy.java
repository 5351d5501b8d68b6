package io.dedup.testservers;

/** Placeholder. */
public final class TcpProxy {
    private TcpProxy() {}
}
