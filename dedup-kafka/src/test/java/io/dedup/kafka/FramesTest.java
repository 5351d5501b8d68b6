package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.doubles.WatchedStore;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/**
 * How many methods of ours a record passes: each is a step that a reader has to follow from the container's call to the
 * handler and to the store. The numbers may fall; a change that needs one more has to say why here.
 */
class FramesTest {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private final WatchedStore watched = new WatchedStore(Scene.memory());
    private final Map<String, List<String>> seen = new ConcurrentHashMap<>();

    @Test
    @DisplayName("a record listener in mode LEASED: to the handler, the claim and the completion")
    void recordListener() {
        run(false);
        assertFrames("handler", 10);
        assertFrames("claim", 10);
        assertFrames("complete", 13);
    }

    @Test
    @DisplayName("successes that are recorded before the commit: from the commit to the completion")
    void commit() {
        run(true);
        assertFrames("handler", 10);
        assertFrames("claim", 10);
        assertFrames("complete", 11);
    }

    private void run(boolean claimAhead) {
        for (String operation : List.of("claim", "complete")) {
            watched.before(operation, () -> see(operation));
        }
        try (Scene scene = new Scene(watched.store, 1, policy -> policy)) {
            scene.claimAhead(claimAhead);
            scene.send("a");
            scene.runUntilCommitted(scene.container(AckMode.BATCH, (MessageListener<String, String>) this::handle));
        }
    }

    private void handle(ConsumerRecord<String, String> record) {
        see("handler");
    }

    /** The frames of ours on this thread, from here outwards; those of the tests and the compiler aren't ours. */
    private void see(String place) {
        List<String> frames = STACK.walk(all -> all.filter(FramesTest::isOurs)
                .map(frame -> frame.getDeclaringClass().getSimpleName() + "#" + frame.getMethodName())
                .collect(Collectors.toList()));
        seen.putIfAbsent(place, frames);
    }

    private static boolean isOurs(StackWalker.StackFrame frame) {
        Class<?> type = frame.getDeclaringClass();
        return type.getName().startsWith("io.dedup.")
                && type.getPackage() != WatchedStore.class.getPackage()
                && !isBridge(frame)
                && !type.getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath()
                        .contains("test-classes");
    }

    /** Whether the compiler has made this method, to fit a generic type to the method of the same name. */
    private static boolean isBridge(StackWalker.StackFrame frame) {
        return Arrays.stream(frame.getDeclaringClass().getDeclaredMethods())
                .filter(Method::isBridge)
                .filter(method -> method.getName().equals(frame.getMethodName()))
                .anyMatch(method -> MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                        .equals(frame.getMethodType()));
    }

    private void assertFrames(String place, int atMost) {
        List<String> frames = seen.get(place);
        assertThat(frames).as("%s was called", place).isNotNull();
        System.out.println("frames to " + place + ": " + frames.size() + "\n  " + String.join("\n  ", frames));
        assertThat(frames).hasSizeLessThanOrEqualTo(atMost);
    }
}
