package io.dedup.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

final class ContainersTest {

    @Test
    void redisRunsInAContainerWhereThereIsDocker() {
        RedisAddress address = Containers.redis().orElse(null);
        assumeTrue(address != null, "no Docker daemon, or no image");
        assertThat(address.command("PING")).isEqualTo("PONG");
    }
}
