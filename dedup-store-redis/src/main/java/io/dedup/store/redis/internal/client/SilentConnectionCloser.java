package io.dedup.store.redis.internal.client;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection on which nothing was received for too long after something was sent; the driver then opens a new
 * one.
 *
 * <p>A connection may be dead without either side noticing: its server lost power, or a firewall dropped it. By
 * default, the operating system stops sending only after a quarter of an hour, and until then every call would time
 * out. There is one handler for each connection, used only on its event loop.
 */
final class SilentConnectionCloser extends ChannelDuplexHandler {
    private static final Logger log = LoggerFactory.getLogger(SilentConnectionCloser.class);

    private final long limitNanos;
    private boolean waiting;
    private long since;
    private @Nullable Future<?> check;

    SilentConnectionCloser(Duration limit) {
        this.limitNanos = limit.toNanos();
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
        if (!waiting) {
            waiting = true;
            since = System.nanoTime();
            if (check == null) {
                checkIn(limitNanos, context);
            }
        }
        super.write(context, message, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        waiting = false;
        super.channelRead(context, message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (check != null) {
            check.cancel(false);
        }
        super.channelInactive(context);
    }

    /** Schedules at most one timer, which checks what has happened since: usually, an answer has arrived. */
    private void checkIn(long nanos, ChannelHandlerContext context) {
        check = context.executor().schedule(() -> check(context), nanos, TimeUnit.NANOSECONDS);
    }

    private void check(ChannelHandlerContext context) {
        check = null;
        if (!waiting) {
            return;
        }
        long left = limitNanos - (System.nanoTime() - since);
        if (left > 0) {
            checkIn(left, context);
            return;
        }
        log.warn(
                "No answer from Redis at {} for {} ms. Closing the connection; a new one is opened",
                context.channel().remoteAddress(),
                TimeUnit.NANOSECONDS.toMillis(limitNanos));
        var unused = context.close();
    }
}
