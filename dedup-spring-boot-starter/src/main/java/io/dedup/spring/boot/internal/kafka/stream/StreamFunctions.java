package io.dedup.spring.boot.internal.kafka.stream;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.function.context.FunctionCatalog;
import org.springframework.cloud.function.context.catalog.FunctionTypeUtils;
import org.springframework.cloud.function.context.catalog.SimpleFunctionRegistry.FunctionInvocationWrapper;
import org.springframework.cloud.stream.function.BindableFunctionProxyFactory;
import org.springframework.context.ApplicationContext;

/** The functions of the application, and their bindings. */
final class StreamFunctions {
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
        FunctionCatalog catalog = context.getBean(FunctionCatalog.class);
        // The type of a composed function is that of its ends.
        return Stream.concat(Stream.of(definition), Arrays.stream(definition.split("[|,]")))
                        .anyMatch(part -> isReactive(catalog.lookup(part.strip())))
                ? "function " + definition + " is reactive, or a suspend function, or has such a part"
                : null;
    }

    private static boolean isReactive(@Nullable Object found) {
        return found instanceof FunctionInvocationWrapper function
                && (function.isInputTypePublisher()
                        || function.isOutputTypePublisher()
                        || FunctionTypeUtils.isMultipleArgumentType(function.getInputType())
                        || FunctionTypeUtils.isMultipleArgumentType(function.getOutputType()));
    }

    /** The output bindings of the function of an input. */
    Set<String> outputs(String input) {
        BindableFunctionProxyFactory function = of(input);
        return function == null ? Set.of() : function.getOutputs();
    }
}
