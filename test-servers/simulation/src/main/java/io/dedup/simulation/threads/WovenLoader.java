package io.dedup.simulation.threads;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Loads classes with their calls to the JDK's clock, threads, locks and timers replaced by {@link Hooks}. What they do is theirs;
 * only how they wait is simulated. A call that no hook is known for, and that would wait, is refused when its class is loaded.
 */
public final class WovenLoader extends ClassLoader {
    private static final String HOOKS = Type.getInternalName(Hooks.class);
    private static final String LOCK = "java/util/concurrent/locks/ReentrantLock";
    private static final String QUEUE = "java/util/concurrent/BlockingQueue";
    private static final String FUTURE = "java/util/concurrent/CompletableFuture";
    /** Whoever brings an executor brings a simulated one. */
    private static final String EXECUTOR = "Ljava/util/concurrent/Executor;";

    /** Calls that get a hook, as owner and name. */
    private static final Map<String, List<String>> HOOKED = Map.ofEntries(
            Map.entry("java/lang/System", List.of("nanoTime", "currentTimeMillis")),
            Map.entry("java/time/Instant", List.of("now")),
            Map.entry("java/time/InstantSource", List.of("system")),
            Map.entry("java/lang/Thread", List.of("sleep", "join")),
            Map.entry("java/util/concurrent/locks/LockSupport", List.of("parkNanos", "unpark")),
            Map.entry(LOCK, List.of("lock", "lockInterruptibly", "newCondition")),
            Map.entry(QUEUE, List.of("poll")),
            Map.entry(FUTURE, List.of("join", "delayedExecutor")),
            Map.entry("java/util/concurrent/CountDownLatch", List.of("await")),
            Map.entry(
                    "java/util/concurrent/Executors",
                    List.of("newScheduledThreadPool", "newSingleThreadScheduledExecutor")));

    /** Calls that would really wait. */
    private static final Map<String, List<String>> REFUSED = Map.of(
            "java/util/concurrent/locks/LockSupport",
            List.of("park", "parkUntil"),
            QUEUE,
            List.of("take", "put"),
            FUTURE,
            List.of("get", "orTimeout", "completeOnTimeout", "supplyAsync", "runAsync"),
            "java/util/concurrent/Semaphore",
            List.of("acquire", "tryAcquire"),
            "java/util/concurrent/ExecutorService",
            List.of("awaitTermination", "invokeAll"));

    private static final Map<String, Class<?>> REPLACED = Map.of(
            "java/lang/Thread", SimulatedThread.class,
            "java/util/concurrent/ThreadPoolExecutor", SimulatedPool.class,
            "java/util/concurrent/ScheduledThreadPoolExecutor", SimulatedTimerPool.class);

    private final List<String> woven;
    private final List<String> shared;

    /**
     * @param woven prefixes of the names of classes that this loads itself
     * @param shared those among them that it takes from its parent nevertheless
     */
    public WovenLoader(List<String> woven, List<String> shared, ClassLoader parent) {
        super(parent);
        this.woven = List.copyOf(woven);
        this.shared = List.copyOf(shared);
    }

    static {
        registerAsParallelCapable();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (woven.stream().noneMatch(name::startsWith) || shared.stream().anyMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known != null ? known : weave(name);
        }
    }

    private Class<?> weave(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            ClassReader reader = new ClassReader(in.readAllBytes());
            ClassWriter writer = new ClassWriter(reader, 0);
            reader.accept(new Weaver(writer), 0);
            byte[] bytes = writer.toByteArray();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static boolean isHooked(String owner, String name) {
        return HOOKED.getOrDefault(owner, List.of()).contains(name);
    }

    /** An object's method becomes a static one, which has the object as its first argument. */
    private static String descriptor(String owner, String descriptor, boolean isStatic) {
        return isStatic ? descriptor : "(L" + owner + ";" + descriptor.substring(1);
    }

    private static final class Weaver extends ClassVisitor {
        private String className = "";

        Weaver(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
            className = name;
            super.visit(version, access, name, signature, parent, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            return new WovenMethod(super.visitMethod(access, name, descriptor, signature, exceptions), className);
        }
    }

    private static final class WovenMethod extends MethodVisitor {
        private final String className;

        WovenMethod(MethodVisitor next, String className) {
            super(Opcodes.ASM9, next);
            this.className = className;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            Class<?> other = opcode == Opcodes.NEW ? REPLACED.get(type) : null;
            super.visitTypeInsn(opcode, other == null ? type : Type.getInternalName(other));
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            Class<?> other = opcode == Opcodes.INVOKESPECIAL && name.equals("<init>") ? REPLACED.get(owner) : null;
            if (other != null) {
                super.visitMethodInsn(opcode, Type.getInternalName(other), name, descriptor, false);
            } else if (isHooked(owner, name) && !(owner.equals(QUEUE) && descriptor.startsWith("()"))) {
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC,
                        HOOKS,
                        name,
                        descriptor(owner, descriptor, opcode == Opcodes.INVOKESTATIC),
                        false);
            } else {
                if (REFUSED.getOrDefault(owner, List.of()).contains(name) && !descriptor.contains(EXECUTOR)) {
                    throw new IllegalStateException(
                            className + " calls " + owner + "." + name + ", which has no hook in a simulated run");
                }
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            Object[] woven = arguments.clone();
            for (int i = 0; i < woven.length; i++) {
                if (woven[i] instanceof Handle handle && isHooked(handle.getOwner(), handle.getName())) {
                    woven[i] = new Handle(
                            Opcodes.H_INVOKESTATIC,
                            HOOKS,
                            handle.getName(),
                            descriptor(handle.getOwner(), handle.getDesc(), handle.getTag() == Opcodes.H_INVOKESTATIC),
                            false);
                }
            }
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, woven);
        }
    }
}
