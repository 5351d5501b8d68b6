package io.dedup.store.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.connection.RedisLink;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReplicaConfirmationTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    @Test
    @DisplayName("D2 what is sent again has a confirmation of its own, which doesn't confirm what was answered before")
    void sentAgain() {
        RedisErrors errors = new RedisErrors("a test", TIMEOUT);
        AtomicInteger scriptsGone = new AtomicInteger();
        Sends link = new Sends();
        ScriptCall<String> answered = call();
        ScriptCall<String> unknown = call();

        new ScriptRunner(new CommandExchange(errors, TIMEOUT), errors, scriptsGone::incrementAndGet)
                .runAll(link, List.of(answered, unknown), new ReplicaConfirmation(1, Duration.ofSeconds(1)));

        assertThat(link.sends)
                .as("with each write, what confirms it")
                .containsExactly(List.of("EVALSHA", "EVALSHA", "WAIT"), List.of("EVAL", "WAIT"));
        assertThat(answered.failure()).hasMessageContaining("only 0 of 1 required replicas");
        assertThat(unknown.failure()).isNull();
        assertThat(unknown.answer()).isEqualTo("1");
        assertThat(scriptsGone).hasValue(1);
    }

    private static ScriptCall<String> call() {
        return new ScriptCall<>(
                Script.of("test", "return 1"),
                new BulkStrings(1).add(0),
                () -> new StatusOutput<>(ByteArrayCodec.INSTANCE));
    }

    /** A server that knows the script of the first command only, and whose replica is back for the second send. */
    private static final class Sends implements RedisLink {
        private final List<List<String>> sends = new ArrayList<>();

        @Override
        public void sendAll(List<AsyncCommand<byte[], byte[], ?>> commands) {
            long confirming = sends.size();
            sends.add(commands.stream()
                    .map(command -> command.getType().toString())
                    .toList());
            for (int i = 0; i < commands.size(); i++) {
                AsyncCommand<byte[], byte[], ?> command = commands.get(i);
                if (sends.size() == 1 && i == 1) {
                    command.completeExceptionally(new RedisNoScriptException("NOSCRIPT"));
                } else if (command.getType().toString().equals("WAIT")) {
                    command.getOutput().set(confirming);
                    command.complete();
                } else {
                    command.getOutput().set(ByteBuffer.wrap("1".getBytes(StandardCharsets.US_ASCII)));
                    command.complete();
                }
            }
        }

        @Override
        public void send(AsyncCommand<byte[], byte[], ?> command) {
            fail("sent alone: " + command);
        }

        @Override
        public boolean isCluster() {
            return false;
        }

        @Override
        public Object serverOf(ByteBuffer key) {
            return this;
        }
    }
}
