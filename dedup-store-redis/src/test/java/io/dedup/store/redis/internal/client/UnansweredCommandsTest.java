package io.dedup.store.redis.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class UnansweredCommandsTest {
    @Test
    @DisplayName("D4 a command that lost its reply fails at once, also where the driver would send it again")
    void lostReply() {
        ClientResources resources = ClientResources.builder()
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        UnansweredCommands.failIn(channel);
                    }
                })
                .build();
        RedisClient client = RedisClient.create(resources); // whose options are the defaults: to send again
        try (RedisServer server = RedisServers.start();
                TcpProxy proxy = TcpProxy.to(server.port());
                var connection = client.connect(RedisURI.create("redis://127.0.0.1:" + proxy.port()))) {
            proxy.loseReplyTo("counter");

            var lost = connection.async().incr("counter").toCompletableFuture();

            assertThatThrownBy(lost::join)
                    .isInstanceOf(CompletionException.class)
                    .hasMessageContaining("Connection disconnected");
            assertThat(proxy.lostReplies()).isEqualTo(1);
            await().untilAsserted(
                            () -> assertThat(connection.sync().get("counter")).isEqualTo("1"));
        } finally {
            client.shutdown();
            var unused = resources.shutdown();
        }
    }
}
