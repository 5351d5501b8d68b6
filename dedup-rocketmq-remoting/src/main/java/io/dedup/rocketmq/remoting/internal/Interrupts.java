package io.dedup.rocketmq.remoting.internal;

/** Of the client's threads. */
final class Interrupts {
    private Interrupts() {}

    /**
     * Called before a listener answers. If its thread were interrupted, the client would not find the message in its queue
     * ({@code ProcessQueue} locks interruptibly, and swallows that): it would neither send a failed message back nor suspend its
     * queue, and pass its offset. Threads of the client's pools end without the flag.
     */
    static void clear() {
        boolean unused = Thread.interrupted();
    }
}
