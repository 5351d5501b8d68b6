package io.dedup.spring.boot;

/**
 * Settings and where they are from, for messages to whoever wrote them.
 *
 * @param path such as {@code dedup.topics.orders}
 */
record Layer(String path, PolicyProperties settings) {
    private static final String ANNOTATION = "@Deduplicated of listener ";

    /** What the annotation of a listener says. */
    static Layer ofAnnotation(String listener, PolicyProperties settings) {
        return new Layer(ANNOTATION + listener, settings);
    }

    /** Where properties override this layer: its own path, and for an annotation the entry of its listener. */
    String yaml() {
        return path.startsWith(ANNOTATION) ? "dedup.listeners." + path.substring(ANNOTATION.length()) : path;
    }

    /** The name of one of its settings. */
    String property(String name) {
        return path.startsWith("@") ? name + " of " + path : path + "." + name;
    }
}
