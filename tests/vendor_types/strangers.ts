/** Whether every field of one type, however deep, is a field of another that can hold it. */

type Depth = readonly unknown[];
type Bare<T> = NonNullable<T>;
type Scalar = string | number | boolean | bigint | symbol | null | undefined | Date | Uint8Array;

/**
 * The paths of the fields of `Ours` that `Theirs` does not have, or has with another type; never where there are none.
 * Assigning alone does not tell: a type whose fields are all optional takes an object with any other field beside one
 * of its own.
 */
export type Strangers<Ours, Theirs, Path extends string = "", Level extends Depth = []> =
  Level["length"] extends 8 ? never
    : [Bare<Ours>] extends [never] ? never
    : unknown extends Ours ? never
    : Bare<Ours> extends Scalar ? Bare<Ours> extends Bare<Theirs> ? never : `${Path}: of another type`
    : Bare<Ours> extends readonly (infer One)[]
      ? Bare<Theirs> extends readonly (infer Other)[] ? Strangers<One, Other, `${Path}[]`, [...Level, 0]>
      : `${Path}: no list`
    : Bare<Ours> extends object ? Bare<Theirs> extends Scalar ? `${Path}: no object`
      : {
        [Name in keyof Bare<Ours> & string]: Name extends keyof Bare<Theirs>
          ? Strangers<Bare<Ours>[Name], Bare<Theirs>[Name], `${Path}.${Name}`, [...Level, 0]>
          : `${Path}.${Name}: unknown`;
      }[keyof Bare<Ours> & string]
    : never;

/** The same for what is read of a reply: a field may be read as more types than it is answered with. */
export type Unanswered<Ours, Theirs> = Exclude<Strangers<Ours, Theirs>, `${string}: of another type`>;

/** Type-checks only where there are none. */
export type None<Found extends never> = Found;
