package io.dedup.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.process.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A program that was started by another doesn't outlive it. */
final class ParentWatchTest {
    enum End {
        TERM,
        KILL
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void aProgramEndsWithTheOneThatStartedIt(End end) throws Exception {
        Process parent = start(Parent.class);
        ProcessHandle child = null;
        try (BufferedReader output = parent.inputReader()) {
            child = ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
            assertThat(child.isAlive()).isTrue();
            if (end == End.KILL) {
                parent.destroyForcibly();
            } else {
                parent.destroy();
            }
            parent.waitFor();
            Awaitility.await().until(child.onExit()::isDone);
        } finally {
            parent.destroyForcibly();
            if (child != null) {
                child.destroyForcibly();
            }
        }
    }

    private static Process start(Class<?> main) throws IOException {
        return ChildJvm.start(main);
    }

    /** Stands for Maven: passes its child's output on. */
    static final class Parent {
        public static void main(String[] arguments) throws Exception {
            start(Child.class).getInputStream().transferTo(System.out);
        }
    }

    /** Stands for an example, which never ends by itself and doesn't look at its input. */
    static final class Child {
        public static void main(String[] arguments) throws Exception {
            ParentWatch.start();
            System.out.println(ProcessHandle.current().pid());
            new CountDownLatch(1).await();
        }
    }
}
