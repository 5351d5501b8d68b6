package io.dedup.spring.boot;

/**
 * Settings and where they are from, for messages to whoever wrote them.
 *
 * @param path such as {@code dedup.topics.orders}
 */
record Layer(String path, PolicyProperties settings) {
    /** The name of one of its settings. */
    String property(String name) {
        return path.startsWith("@") ? name + " of " + path : path + "." + name;
    }
}
