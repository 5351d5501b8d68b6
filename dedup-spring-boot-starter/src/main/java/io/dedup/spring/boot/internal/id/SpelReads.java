package io.dedup.spring.boot.internal.id;

import java.beans.Introspector;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * What an expression reads: paths such as {@code headers, id} for each of {@code headers.id}, {@code headers['id']},
 * {@code getHeaders().get('id')} and {@code #root.headers.id}. A path of a variable begins with its name, such as
 * {@code #order}. What begins with a constant, or with an element of a collection, is no path.
 */
record SpelReads(List<List<String>> paths) {
    static final String WHOLE = "#root";

    /**
     * Of an expression.
     *
     * @param joined what {@link #isJoin} joins in it
     * @throws IllegalArgumentException when it cannot be evaluated, because it uses a class or a bean, or assigns, or joins elsewhere
     */
    static SpelReads of(List<SpelNode> joined) {
        SpelReads reads = new SpelReads(new ArrayList<>());
        joined.forEach(node -> reads.visit(node, false));
        return reads;
    }

    /** Whether a node is a {@code +} of two others. */
    static boolean isJoin(SpelNode node) {
        return node instanceof OpPlus && node.getChildCount() == 2;
    }

    /** The first name of each path. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        paths.forEach(path -> names.add(path.get(0)));
        return names;
    }

    /** @param inElement whether names are those of an element of a collection */
    private void visit(SpelNode node, boolean inElement) {
        refuse(node);
        if (node instanceof CompoundExpression) {
            path(node, inElement);
            return;
        }
        String first = first(node, inElement);
        if (first != null) {
            paths.add(List.of(first));
        }
        visitChildren(node, inElement);
    }

    private void path(SpelNode compound, boolean inElement) {
        List<String> path = new ArrayList<>();
        String first = first(compound.getChild(0), inElement);
        if (first != null) {
            path.add(first);
            visitChildren(compound.getChild(0), inElement);
        } else {
            visit(compound.getChild(0), inElement);
        }
        for (int i = 1; i < compound.getChildCount(); i++) {
            SpelNode step = compound.getChild(i);
            refuse(step);
            if (!path.isEmpty()) {
                path.add(step(step));
            }
            visitChildren(step, inElement);
        }
        if (path.size() > 1 && path.get(0).equals(WHOLE)) {
            path.remove(0);
        }
        if (!path.isEmpty()) {
            paths.add(List.copyOf(path));
        }
    }

    private void visitChildren(SpelNode node, boolean inElement) {
        boolean ofElements = inElement || node instanceof Selection || node instanceof Projection;
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            boolean isKey = child instanceof PropertyOrFieldReference
                    && (node instanceof Indexer || (node instanceof InlineMap && i % 2 == 0));
            if (!isKey) { // a name between brackets is a key
                visit(child, ofElements);
            }
        }
    }

    /** What a node reads of the message or of a variable; null if nothing. */
    private static @Nullable String first(SpelNode node, boolean inElement) {
        if (node instanceof VariableReference) {
            String name = node.toStringAST();
            return name.equals("#this") ? (inElement ? null : WHOLE) : name;
        }
        if (node instanceof FunctionReference) {
            return node.toStringAST().replaceFirst("\\(.*", "");
        }
        if (inElement) {
            return null;
        }
        if (node instanceof PropertyOrFieldReference property) {
            return property.getName();
        }
        return node instanceof MethodReference method
                ? propertyOf(method.getName())
                : node instanceof Indexer || node instanceof Selection || node instanceof Projection ? WHOLE : null;
    }

    private static String step(SpelNode node) {
        if (node instanceof PropertyOrFieldReference property) {
            return property.getName();
        }
        if (node instanceof Indexer
                || (node instanceof MethodReference called && called.getName().startsWith("get"))) {
            SpelNode key = node.getChildCount() > 0 ? node.getChild(0) : null;
            if (key instanceof StringLiteral text) {
                return String.valueOf(text.getLiteralValue().getValue());
            }
            if (key instanceof PropertyOrFieldReference property && node instanceof Indexer) {
                return property.getName();
            }
        }
        return node instanceof MethodReference method ? propertyOf(method.getName()) : node.toStringAST();
    }

    private static String propertyOf(String method) {
        return method.length() > 3 && method.startsWith("get")
                ? Introspector.decapitalize(method.substring(3))
                : method;
    }

    private static void refuse(SpelNode node) {
        if (node instanceof TypeReference || node instanceof ConstructorReference || node instanceof BeanReference) {
            throw new IllegalArgumentException(
                    "an expression may read the message, but cannot use a class or a bean, as T(), new and @ do. Write a"
                            + " MessageIdExtractor bean, and use bean:<its name>");
        }
        if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
            throw new IllegalArgumentException("an expression may read the message, but cannot change it");
        }
        if (isJoin(node) && !isNumber(node.getChild(0)) && !isNumber(node.getChild(1))) {
            throw new IllegalArgumentException(
                    "within brackets, ?: and other operators, + may only add a number that is written"
                            + " there, because Spring would make the text null of a missing value. Join values outside, as in"
                            + " #tenant + '/' + (#number ?: 'none'), or write a MessageIdExtractor bean, and use bean:<its name>");
        }
    }

    private static boolean isNumber(SpelNode node) {
        return node instanceof Literal literal && literal.getLiteralValue().getValue() instanceof Number;
    }

    /** The names that an expression may use of an object: its public methods and properties. */
    static Set<String> namesOf(Class<?> type) {
        Set<String> names = new TreeSet<>();
        for (Method method : type.getMethods()) {
            if (method.getDeclaringClass() != Object.class) {
                names.add(propertyOf(method.getName()));
            }
        }
        return names;
    }
}
