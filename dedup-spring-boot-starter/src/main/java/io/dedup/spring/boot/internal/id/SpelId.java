package io.dedup.spring.boot.internal.id;

import io.dedup.id.MessageIdExtractor;
import io.dedup.text.Printable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * Finds an ID by a SpEL expression. It may read properties and call methods of the message, but not use classes or beans.
 * Thread-safe.
 */
public final class SpelId {
    private static final EvaluationContext READING = SimpleEvaluationContext.forReadOnlyDataBinding()
            .withInstanceMethods()
            .build();

    private final Expression expression;

    private SpelId(Expression expression) {
        this.expression = expression;
    }

    /**
     * An extractor that evaluates an expression.
     *
     * @param view what the expression sees of a message
     * @throws IllegalArgumentException when the text is no expression
     */
    public static <M> MessageIdExtractor<M> extractor(String text, Function<M, Object> view) {
        SpelId spel = of(text);
        return MessageIdExtractor.named(
                "value for spel:" + Printable.sentence(text), message -> spel.find(view.apply(message)));
    }

    /**
     * Reads an expression.
     *
     * @throws IllegalArgumentException when it isn't one
     */
    static SpelId of(String text) {
        try {
            return new SpelId(new SpelExpressionParser().parseExpression(text));
        } catch (RuntimeException e) {
            // ExpressionException, as a rule; but one that is too long fails its evaluation already here, and the
            // tokenizer reads beyond the end of some numbers.
            throw new IllegalArgumentException("spel: " + Printable.ofException(e), e);
        } catch (StackOverflowError e) { // the parser goes as deep as the expression does
            throw new IllegalArgumentException("spel: the expression is nested too deeply", e);
        }
    }

    /**
     * An extractor that evaluates an expression over named values, such as {@code #order.id}.
     *
     * @param known the names that the expression may use
     * @param view the values of a message by their names
     * @throws IllegalArgumentException when the text is no expression, uses another name, or uses none and so would give all messages
     *     the same ID
     */
    public static <M> MessageIdExtractor<M> extractor(
            String text, Set<String> known, Function<M, Map<String, @Nullable Object>> view) {
        SpelId spel = of(text);
        Set<String> used = new TreeSet<>();
        addVariables(((SpelExpression) spel.expression).getAST(), used);
        used.remove("this"); // the element of a selection
        if (used.isEmpty()) {
            throw new IllegalArgumentException(Printable.of(text)
                    + " uses no argument, so all calls would have the same ID. The arguments are " + names(known));
        }
        for (String name : used) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "there is no argument #" + Printable.sentence(name)
                                + ". The arguments are " + names(known)
                                + ". Their names are known if the compiler is called with -parameters, as Spring Boot's plugins do");
            }
        }
        return MessageIdExtractor.named("value for " + Printable.sentence(text), message -> {
            EvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
                    .withInstanceMethods()
                    .build();
            view.apply(message).forEach(context::setVariable);
            return text(spel.expression.getValue(context));
        });
    }

    private static List<String> names(Set<String> known) {
        return known.stream().map(name -> "#" + name).toList();
    }

    private static void addVariables(SpelNode node, Set<String> names) {
        if (node instanceof VariableReference) {
            names.add(node.toStringAST().substring(1));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            addVariables(node.getChild(i), names);
        }
    }

    @Nullable
    String find(Object message) {
        return text(expression.getValue(READING, message));
    }

    private static @Nullable String text(@Nullable Object id) {
        if (id == null || id instanceof String) {
            return (String) id;
        }
        if (id instanceof Long || id instanceof Integer || id instanceof Short || id instanceof UUID) {
            return id.toString();
        }
        throw new IllegalArgumentException(
                "the expression returned a " + id.getClass().getName()
                        + ", which has no unambiguous text. It must return a String, an integer number or a UUID");
    }
}
