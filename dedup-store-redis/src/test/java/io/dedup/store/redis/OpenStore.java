package io.dedup.store.redis;

/** Opens a store, and prints how that ends. */
public final class OpenStore {
    private OpenStore() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) {
        try (RedisDedupStore store = Stores.builder().uri(arguments[0]).build()) {
            System.out.println("opened " + store.name());
        } catch (Throwable e) {
            System.out.println(e);
        }
    }
}
