package io.dedup.store.redis.internal.client;

import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Fails what a connection leaves unanswered when it breaks.
 *
 * <p>From version 6.7 on, the driver itself does that, if it is told to reject commands while disconnected. Lettuce 6.6,
 * which Spring Boot 3.5 has, sends them again on the next connection: a {@code forget} that was applied would delete
 * what was recorded since, and a {@code WAIT} would be confirmed by the replicas of a server that never had its write.
 */
@Sharable
final class UnansweredCommands extends ChannelInboundHandlerAdapter {
    private static final UnansweredCommands INSTANCE = new UnansweredCommands();

    private UnansweredCommands() {}

    /** Directly before the driver's handler: when that learns that the channel is closed, it keeps them to be sent again. */
    static void failIn(Channel channel) {
        String driver = channel.pipeline().context(CommandHandler.class).name();
        channel.pipeline().addBefore(driver, null, INSTANCE);
    }

    /** On the event loop, as everything that uses the driver's queue. */
    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        try {
            for (RedisCommand<?, ?, ?> command :
                    context.pipeline().get(CommandHandler.class).drainQueue()) {
                fail(command);
            }
        } finally {
            super.channelInactive(context);
        }
    }

    /**
     * The filter that the driver asks before it keeps a command for the next connection, because it could not write it.
     *
     * @return true: do not keep it
     */
    static boolean fail(RedisCommand<?, ?, ?> command) {
        command.completeExceptionally(new RedisException("Connection disconnected"));
        return true;
    }
}
