package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.StuckQuery;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Users who lack a right, and servers that lack a command. What the user with the least rights can do, the contract tests show. */
class RightsTest {
    private final Messages messages = new Messages();
    private RedisServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @OnEachVersion
    @DisplayName("each command of the list is needed: without it, some call fails, and says what to grant")
    void eachIsNeeded(RedisVersion version) {
        server = version.server().start();
        for (String missing : LeastRights.all()) {
            if (missing.equals("info")) {
                continue; // at start, its lack is a warning: see StartTest
            }
            server.command("FLUSHALL");
            server.command("SCRIPT", "FLUSH");
            RedisURI uri = LeastRights.grant(server, "dedup{}*", LeastRights.without(missing));

            List<Throwable> failures = failures(uri);

            assertThat(failures)
                    .as("without %s", missing)
                    .isNotEmpty()
                    .allSatisfy(failure -> assertThat(failure)
                            .isInstanceOf(DedupStoreException.class)
                            .hasMessageContaining("Grant the user in uri")
                            .hasMessageNotContaining("pw"));
        }
        assertThat(failures(LeastRights.grant(server, "dedup{}*", LeastRights.all())))
                .isEmpty();
    }

    @OnEachVersion
    @DisplayName("a user who may not use the namespace's keys is refused at start, with what to grant")
    void otherKeys(RedisVersion version) {
        server = version.server().start();
        RedisURI uri = LeastRights.grant(server, "other{}*", LeastRights.all());

        assertThatThrownBy(() -> Stores.builder().uri(uri).build())
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("NOPERM")
                .hasMessageContaining("on the keys of the namespace");
    }

    @ParameterizedTest
    @CsvSource({"EVALSHA", "EVAL", "SET", "GET"})
    @DisplayName(
            "a server that has renamed a command that every call needs is refused at start, and the command is named")
    void renamed(String command) {
        server = RedisServers.builder().renamed(command, "hidden").start();

        assertThatThrownBy(() -> Stores.builder().uri(server.uri()).build())
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("rename-command")
                .satisfies(failure -> assertThat(failure.getMessage().toUpperCase(Locale.ROOT))
                        .contains(command));
    }

    @Test
    @DisplayName(
            "a server as managed ones are, without CONFIG, INFO, SCRIPT, HELLO or CLIENT, serves, with a warning for INFO")
    void managed() {
        server = start("CONFIG", "INFO", "SCRIPT", "HELLO", "CLIENT", "KEYS", "FLUSHALL", "DEBUG", "ACL", "MONITOR");

        try (RedisDedupStore store = Stores.builder().uri(server.uri()).build()) {
            assertThat(store.warnings())
                    .anySatisfy(warning -> assertThat(warning)
                            .contains("has no command of the name INFO", "Remove rename-command INFO"));
            Messages.done(store, messages.key());
            store.ping();
            assertThatThrownBy(store::forgetAll)
                    .as("needs INFO, to be certain to have seen all records")
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("rename-command");
        }
    }

    private static RedisServer start(String... disabled) {
        RedisServer.Builder builder = RedisServers.builder();
        for (String command : disabled) {
            builder.renamed(command, "");
        }
        return builder.start();
    }

    /** Of every kind of call. */
    private List<Throwable> failures(RedisURI uri) {
        List<Throwable> failures = new ArrayList<>();
        RedisDedupStore store;
        try {
            store = Stores.builder().uri(uri).build();
        } catch (DedupStoreException e) {
            return List.of(e);
        }
        try (store) {
            List<Runnable> calls = new ArrayList<>();
            DedupKey key = messages.key();
            ClaimRequest claim = Messages.claim(key);
            List<ClaimRequest> batch = messages.claims(3);
            calls.add(() -> Messages.only(store.claim(List.of(claim))));
            calls.add(() -> Messages.only(store.claim(List.of(Messages.unfenced(messages.key())))));
            calls.add(() -> require(store.claim(batch)));
            calls.add(() -> Messages.only(store.renew(List.of(Messages.renew(claim)))));
            calls.add(() ->
                    require(store.renew(batch.stream().map(Messages::renew).toList())));
            calls.add(() -> store.findStuck(new StuckQuery(null, Duration.ZERO, 10)));
            calls.add(() -> Messages.only(store.release(List.of(Messages.release(batch.get(0), ReleaseMode.STARTED)))));
            calls.add(() -> Messages.only(store.complete(List.of(Messages.complete(claim)))));
            calls.add(() -> require(
                    store.complete(batch.stream().map(Messages::complete).toList())));
            calls.add(() -> store.find(key));
            calls.add(() -> store.forceDone(messages.key(), Messages.WINDOW, LiveLease.RESPECT));
            calls.add(() -> store.forget(key, LiveLease.RESPECT));
            calls.add(() -> store.erase("nobody", LiveLease.RESPECT));
            calls.add(store::ping);
            calls.add(store::forgetAll);
            for (Runnable call : calls) {
                Throwable failure = catchThrowable(call::run);
                if (failure != null) {
                    failures.add(failure);
                }
            }
        }
        return failures;
    }

    private static void require(List<?> answers) {
        for (Object answer : answers) {
            if (answer instanceof ClaimResult.StoreError error) {
                throw error.cause();
            }
            if (answer instanceof WriteResult.StoreError error) {
                throw error.cause();
            }
        }
    }
}
