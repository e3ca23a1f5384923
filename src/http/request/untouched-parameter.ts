import 'reflect-metadata';

const TYPES = 'design:paramtypes';

/**
 * The decorator of a parameter that the server fills itself. A global `ValidationPipe` that looks at custom decorators
 * too would make another instance of the parameter's class of the value; it leaves alone what is declared as an object.
 */
export function untouchedParameter<Data>(
  decorator: (...data: Data[]) => ParameterDecorator,
): (...data: Data[]) => ParameterDecorator {
  return (...data) =>
    (target, key, index) => {
      const types = Reflect.getMetadata(TYPES, target, key!) as unknown[] | undefined;
      if (types) Reflect.defineMetadata(TYPES, types.with(index, Object), target, key!);
      decorator(...data)(target, key, index);
    };
}
