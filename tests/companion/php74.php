<?php
// Finds what PHP 7.4 does not know: php php74.php < {"name":"<?php …",…}; prints {"name":["line 3: match",…],…}.
// The tokens are those of PHP 8, which has a token of its own for most of what is new; the rest is found by its place.
const NEW_TOKENS    = array( 'T_MATCH', 'T_NULLSAFE_OBJECT_OPERATOR', 'T_ATTRIBUTE', 'T_ENUM', 'T_READONLY' );
const NEW_TYPES     = array( 'mixed', 'never', 'false', 'null', 'true' );
const NEW_FUNCTIONS = array( 'array_is_list', 'get_debug_type', 'get_resource_id', 'preg_last_error_msg', 'fdiv', 'fsync', 'fdatasync', 'enum_exists', 'json_validate', 'array_find', 'array_any', 'array_all', 'mb_str_pad', 'mb_trim', 'str_increment', 'iterator_apply_all', 'ini_parse_quantity' );

/** The tokens that mean something. */
function tokens( $code ) {
	$skip = array( T_WHITESPACE, T_COMMENT, T_DOC_COMMENT );
	return array_values(
		array_filter(
			PhpToken::tokenize( $code, TOKEN_PARSE ),
			function ( $token ) use ( $skip ) {
				return ! $token->is( $skip );
			}
		)
	);
}

/** Where the bracket opened there is closed. */
function closing( array $all, $at ) {
	for ( $depth = 0; isset( $all[ $at ] ); $at++ ) {
		$depth += in_array( $all[ $at ]->text, array( '(', '[', '{', '${' ), true ) || $all[ $at ]->is( T_CURLY_OPEN ) ? 1 : 0;
		$depth -= in_array( $all[ $at ]->text, array( ')', ']', '}' ), true ) ? 1 : 0;
		if ( 0 === $depth ) {
			return $at;
		}
	}
	return count( $all ) - 1;
}

/** What is new in a type between two places. */
function type_faults( array $part ) {
	$faults = array();
	foreach ( $part as $token ) {
		if ( '|' === $token->text || $token->is( T_AMPERSAND_NOT_FOLLOWED_BY_VAR_OR_VARARG ) ) {
			$faults[] = array( $token, 'a union or intersection type' );
		}
		if ( $token->is( T_STATIC ) || in_array( strtolower( $token->text ), NEW_TYPES, true ) ) {
			$faults[] = array( $token, "the type {$token->text}" );
		}
	}
	return $faults;
}

/** What is new in the parameters between two brackets. */
function parameter_faults( array $part ) {
	$faults  = array();
	$default = false;
	$depth   = 0;
	$type    = array();
	foreach ( $part as $token ) {
		$depth += in_array( $token->text, array( '(', '[', '{' ), true ) ? 1 : 0;
		$depth -= in_array( $token->text, array( ')', ']', '}' ), true ) ? 1 : 0;
		if ( 0 === $depth && ',' === $token->text ) {
			$default = false;
		} elseif ( '=' === $token->text ) {
			$default = true;
		} elseif ( $default ) {
			if ( $token->is( T_NEW ) ) {
				$faults[] = array( $token, 'new in a default' );
			}
		} elseif ( $token->is( array( T_PUBLIC, T_PROTECTED, T_PRIVATE ) ) ) {
			$faults[] = array( $token, 'a promoted parameter' );
		} else {
			$type[] = $token;
		}
	}
	$last = end( $part );
	if ( $last && ',' === $last->text ) {
		$faults[] = array( $last, 'a comma after the last parameter' );
	}
	return array_merge( $faults, type_faults( $type ) );
}

/** What is new in a function that begins there. */
function function_faults( array $all, $at ) {
	while ( isset( $all[ $at ] ) && '(' !== $all[ $at ]->text ) {
		$at++;
	}
	$end    = closing( $all, $at );
	$faults = parameter_faults( array_slice( $all, $at + 1, $end - $at - 1 ) );
	if ( isset( $all[ $end + 1 ] ) && $all[ $end + 1 ]->is( T_USE ) ) {
		$used = closing( $all, $end + 2 );
		if ( ',' === $all[ $used - 1 ]->text ) {
			$faults[] = array( $all[ $used - 1 ], 'a comma after the last variable used' );
		}
		$end = $used;
	}
	if ( ! isset( $all[ $end + 1 ] ) || ':' !== $all[ $end + 1 ]->text ) {
		return $faults;
	}
	for ( $type = array(), $at = $end + 2; ! in_array( $all[ $at ]->text, array( '{', ';', '=>' ), true ); $at++ ) {
		$type[] = $all[ $at ];
	}
	return array_merge( $faults, type_faults( $type ) );
}

/** What is new at one token. */
function faults_at( array $all, $at ) {
	$token = $all[ $at ];
	$text  = function ( $offset ) use ( $all, $at ) {
		return isset( $all[ $at + $offset ] ) ? $all[ $at + $offset ]->text : '';
	};
	if ( in_array( $token->getTokenName(), NEW_TOKENS, true ) ) {
		return array( array( $token, $token->getTokenName() ) );
	}
	if ( $token->is( array( T_FUNCTION, T_FN ) ) && 'use' !== $text( -1 ) ) {
		return function_faults( $all, $at );
	}
	if ( $token->is( array( T_PUBLIC, T_PROTECTED, T_PRIVATE, T_VAR ) ) ) {
		for ( $type = array(), $to = $at + 1; ! $all[ $to ]->is( array( T_VARIABLE, T_FUNCTION, T_CONST ) ); $to++ ) {
			if ( ! $all[ $to ]->is( array( T_STATIC, T_FINAL, T_ABSTRACT ) ) ) {
				$type[] = $all[ $to ];
			}
		}
		return type_faults( $type );
	}
	if ( $token->is( T_STRING ) && ':' === $text( 1 ) && in_array( $text( -1 ), array( '(', ',' ), true ) ) {
		return array( array( $token, 'a named argument' ) );
	}
	if ( $token->is( T_STRING ) && '(' === $text( 1 ) && in_array( strtolower( $token->text ), NEW_FUNCTIONS, true ) && ! in_array( $text( -1 ), array( '->', '::', 'function' ), true ) ) {
		return array( array( $token, "the function {$token->text}" ) );
	}
	if ( $token->is( T_THROW ) && ! in_array( $text( -1 ), array( ';', '{', '}', ')', ':', 'else', 'do' ), true ) && ! $all[ $at - 1 ]->is( T_OPEN_TAG ) ) {
		return array( array( $token, 'throw as an expression' ) );
	}
	if ( $token->is( T_CATCH ) ) {
		$inside = array_slice( $all, $at + 1, closing( $all, $at + 1 ) - $at );
		foreach ( $inside as $one ) {
			if ( $one->is( T_VARIABLE ) ) {
				return array();
			}
		}
		return array( array( $token, 'catch without a variable' ) );
	}
	if ( 'class' === strtolower( $token->text ) && '::' === $text( -1 ) && $all[ $at - 2 ]->is( T_VARIABLE ) ) {
		return array( array( $token, '::class of an object' ) );
	}
	if ( $token->is( T_ELLIPSIS ) && '(' === $text( -1 ) && ')' === $text( 1 ) ) {
		return array( array( $token, 'a function made a value by (...)' ) );
	}
	if ( $token->is( T_LNUMBER ) && preg_match( '/^0o/i', $token->text ) ) {
		return array( array( $token, 'a number with 0o' ) );
	}
	if ( $token->is( T_FINAL ) && 'const' === strtolower( $text( 1 ) ) ) {
		return array( array( $token, 'a final constant' ) );
	}
	return array();
}

$out = array();
foreach ( json_decode( stream_get_contents( STDIN ), true ) as $name => $code ) {
	$all          = tokens( $code );
	$out[ $name ] = array();
	foreach ( array_keys( $all ) as $at ) {
		foreach ( faults_at( $all, $at ) as list( $token, $what ) ) {
			$out[ $name ][] = "line {$token->line}: $what";
		}
	}
}
echo json_encode( $out );
