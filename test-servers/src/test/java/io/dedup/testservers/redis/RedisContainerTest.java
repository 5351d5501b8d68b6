package io.dedup.testservers.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

final class RedisContainerTest {

    @Test
    void redisRunsInAContainerWhereThereIsDocker() {
        RedisAddress address = RedisContainer.start().orElse(null);
        assumeTrue(address != null, "no Docker daemon, or no image");
        assertThat(address.command("PING")).isEqualTo("PONG");
    }
}
