package io.dedup.rules;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The strongly connected components of a graph that have more than one node, by Tarjan's algorithm ("Depth-first search
 * and linear graph algorithms", 1972).
 */
final class Circles {
    private final Map<String, Set<String>> references;
    private final Map<String, Integer> order = new HashMap<>();
    private final Map<String, Integer> lowest = new HashMap<>();
    private final Deque<String> path = new ArrayDeque<>();
    private final List<Set<String>> found = new ArrayList<>();

    private Circles(Map<String, Set<String>> references) {
        this.references = references;
    }

    static List<Set<String>> of(Map<String, Set<String>> references) {
        Circles circles = new Circles(references);
        for (String node : references.keySet()) {
            if (!circles.order.containsKey(node)) {
                circles.visit(node);
            }
        }
        return circles.found;
    }

    private void visit(String node) {
        int number = order.size();
        order.put(node, number);
        lowest.put(node, number);
        path.push(node);
        for (String target : references.getOrDefault(node, Set.of())) {
            if (!order.containsKey(target)) {
                visit(target);
                lowest.merge(node, lowest.get(target), Math::min);
            } else if (path.contains(target)) {
                lowest.merge(node, order.get(target), Math::min);
            }
        }
        if (lowest.get(node) == number) {
            Set<String> circle = new TreeSet<>();
            String last;
            do {
                last = path.pop();
                circle.add(last);
            } while (!last.equals(node));
            if (circle.size() > 1) {
                found.add(circle);
            }
        }
    }
}
