package io.dedup.spring.boot.internal.kafka.stream;

import io.dedup.spring.boot.internal.check.HandlerAdvices;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.function.context.FunctionCatalog;
import org.springframework.cloud.function.context.catalog.FunctionTypeUtils;
import org.springframework.cloud.function.context.catalog.SimpleFunctionRegistry.FunctionInvocationWrapper;
import org.springframework.cloud.stream.function.BindableFunctionProxyFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/** The functions of the application, and their bindings. */
final class StreamFunctions {
    /** How a function is called. */
    private static final List<Method> CALLS = List.of(
            ClassUtils.getMethod(Function.class, "apply", Object.class),
            ClassUtils.getMethod(Consumer.class, "accept", Object.class));

    private final ApplicationContext context;

    StreamFunctions(ApplicationContext context) {
        this.context = context;
    }

    /** The function that a binding is an input of; null if there is none, as for a channel that the application made itself. */
    @Nullable
    BindableFunctionProxyFactory of(String input) {
        return context.getBeansOfType(BindableFunctionProxyFactory.class).values().stream()
                .filter(each -> each.getInputs().contains(input))
                .findFirst()
                .orElse(null);
    }

    /** Why a function's effect may come after its return; null if it doesn't. */
    @Nullable
    String endsLater(String input) {
        BindableFunctionProxyFactory function = of(input);
        if (function == null) {
            return null;
        }
        String definition = function.getFunctionDefinition();
        return parts(definition).anyMatch(StreamFunctions::isReactive)
                ? "function " + definition + " is reactive, or a suspend function, or has such a part"
                : null;
    }

    /** A function and its parts: the type of a composed one is that of its ends. */
    private Stream<FunctionInvocationWrapper> parts(String definition) {
        FunctionCatalog catalog = context.getBean(FunctionCatalog.class);
        return Stream.concat(Stream.of(definition), Arrays.stream(definition.split("[|,]")))
                .<@Nullable Object>map(part -> catalog.lookup(part.strip()))
                .filter(FunctionInvocationWrapper.class::isInstance)
                .map(FunctionInvocationWrapper.class::cast);
    }

    private static boolean isReactive(FunctionInvocationWrapper function) {
        return function.isInputTypePublisher()
                || function.isOutputTypePublisher()
                || FunctionTypeUtils.isMultipleArgumentType(function.getInputType())
                || FunctionTypeUtils.isMultipleArgumentType(function.getOutputType());
    }

    /** The advice that calls a function, or a part of it, again after a failure, or takes the failure; null if there is none. */
    @Nullable
    String repeated(String input) {
        BindableFunctionProxyFactory function = of(input);
        if (function == null) {
            return null;
        }
        return parts(function.getFunctionDefinition())
                .map(FunctionInvocationWrapper::getTarget)
                .flatMap(target -> CALLS.stream()
                        .filter(call -> call.getDeclaringClass().isInstance(target))
                        .flatMap(call -> Stream.ofNullable(HandlerAdvices.hidingFailures(target, call))))
                .map(advice -> advice + " of function " + function.getFunctionDefinition())
                .findFirst()
                .orElse(null);
    }

    /** The output bindings of the function of an input. */
    Set<String> outputs(String input) {
        BindableFunctionProxyFactory function = of(input);
        return function == null ? Set.of() : function.getOutputs();
    }
}
