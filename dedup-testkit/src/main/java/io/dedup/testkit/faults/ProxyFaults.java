package io.dedup.testkit.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The current faults of a {@link TcpProxy}. Thread-safe. */
final class ProxyFaults {

    private boolean frozen;
    private boolean dropsReplies;
    private Duration delay = Duration.ZERO;
    private @Nullable String doomed;
    private int lostReplies;

    synchronized void freeze() {
        frozen = true;
    }

    synchronized void dropReplies() {
        dropsReplies = true;
    }

    synchronized void delay(Duration delay) {
        this.delay = delay;
        notifyAll();
    }

    synchronized void loseReplyTo(String text) {
        doomed = text;
    }

    synchronized int lostReplies() {
        return lostReplies;
    }

    synchronized void heal() {
        frozen = false;
        dropsReplies = false;
        delay = Duration.ZERO;
        doomed = null;
        notifyAll();
    }

    /** Blocks while frozen, and for the delay. */
    synchronized void pass() throws InterruptedException {
        long begin = System.nanoTime();
        while (frozen) {
            wait();
        }
        long left;
        while ((left = delay.toNanos() - (System.nanoTime() - begin)) > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    synchronized boolean dropsReplies() {
        return dropsReplies;
    }

    /** Whether the reply to this request must be lost; true once. */
    synchronized boolean dooms(byte[] request, int length) {
        if (doomed == null || !new String(request, 0, length, StandardCharsets.ISO_8859_1).contains(doomed)) {
            return false;
        }
        doomed = null;
        return true;
    }

    synchronized void replyLost() {
        lostReplies++;
    }
}
