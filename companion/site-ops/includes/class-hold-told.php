<?php
/**
 * What the gateway is told of a call that did not stay.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** The bodies of answers, as the interface of the hold has them. */
final class Hold_Told {

	/**
	 * Effects with posts and what is outside the database first, and what nobody has to look at last, so that many small ones
	 * do not hide the others.
	 *
	 * @param array[] $effects As Hold_Effects has them.
	 * @return array[]
	 */
	public static function ordered( array $effects ) {
		$ordered = array( array(), array(), array() );
		foreach ( $effects as $effect ) {
			$place = in_array( $effect['table'], array( 'posts', null ), true ) ? 0 : 1;
			$place = in_array( $effect['label'], Hold_Ask::ALWAYS, true ) ? 2 : $place;

			$ordered[ $place ][] = $effect;
		}
		return array_merge( ...$ordered );
	}

	/**
	 * An error as REST tells it.
	 *
	 * @param string $code Code of the error.
	 * @param array  $data As refusal() makes it.
	 * @return array
	 */
	public static function error( $code, array $data ) {
		return array(
			'code'    => 'site_ops_' . $code,
			'message' => sprintf(
				'escaped' === $data['hold']['outcome']
					/* translators: %s: a reason */
					? __( 'Something may have been written past the hold: %s', 'site-ops' )
					/* translators: %s: a reason */
					: __( 'Nothing was changed: %s', 'site-ops' ),
				$data['hold']['why']
			),
			'data'    => array( 'status' => 409 ) + $data,
		);
	}

	/**
	 * The facts of a refusal.
	 *
	 * @param string       $id      Id of the call.
	 * @param string|null  $reason  Reason, of the few that there are.
	 * @param string|null  $why     The same in words.
	 * @param string|null  $differs What is not as in the preview.
	 * @param Hold_Effects $effects The effects.
	 * @param array|null   $answer  The tool's answer.
	 * @return array
	 */
	public static function refusal( $id, $reason, $why, $differs, Hold_Effects $effects, $answer ) {
		return array(
			'reason'  => $reason,
			'labels'  => $effects->labels(),
			'over'    => $effects->over(),
			'differs' => $differs,
			'hold'    => self::call( $id, 'rolled_back', $why, $effects, $answer ),
		);
	}

	/**
	 * What is told of a call that did not stay.
	 *
	 * @param string       $id      Id of the call.
	 * @param string       $outcome rolled_back or escaped.
	 * @param string|null  $why     Why.
	 * @param Hold_Effects $effects The effects.
	 * @param array|null   $answer  The tool's answer.
	 * @return array
	 */
	public static function call( $id, $outcome, $why, Hold_Effects $effects, $answer ) {
		$told = array(
			'id'      => $id,
			'outcome' => $outcome,
			'why'     => $why,
			'digest'  => $effects->digest(),
			'labels'  => $effects->labels(),
			'effects' => $effects->told(),
			'setback' => array( 'why' => $effects->setback->why() ),
		);
		return $told + ( $effects->more() ? array( 'more' => $effects->more() ) : array() ) + array( 'answer' => $answer );
	}

	/**
	 * A post as it is told.
	 *
	 * @param array $post As Hold_Labels::post() gives it.
	 * @return array|null
	 */
	public static function post( array $post ) {
		list( , $before, $after ) = $post;

		$row = $after ?? $before;
		return null === $row ? null : array(
			'id'            => (int) $row['ID'],
			'type'          => $row['post_type'],
			'title'         => $row['post_title'],
			'status_before' => null === $before ? null : $before['post_status'],
			'status_after'  => null === $after ? null : $after['post_status'],
		);
	}

	/**
	 * What was changed, in words.
	 *
	 * @param string     $short Name of the table, without prefix.
	 * @param string     $key   Key of the row.
	 * @param array      $row   The row.
	 * @param array|null $post  The post that it belongs to, as Hold_Labels::post() gives it.
	 * @return string
	 */
	public static function what( $short, $key, array $row, $post ) {
		$of = $post ? self::post( $post ) : null;
		if ( null !== $of ) {
			$object = get_post_type_object( $of['type'] );
			$states = array_unique( array_filter( array( $of['status_before'], $of['status_after'] ) ) );
			$name   = sprintf( '%s %d "%s" (%s)', $object ? $object->labels->singular_name : $of['type'], $of['id'], $of['title'], implode( ' → ', $states ) );
			if ( 'posts' === $short ) {
				return $name;
			}
			return 'postmeta' === $short ? "Field {$row['meta_key']} of $name" : "Term {$row['term_taxonomy_id']} of $name";
		}
		switch ( $short ) {
			case 'options':
				return "Option {$row['option_name']}";
			case 'users':
				return "User {$row['user_login']}";
			case 'usermeta':
				$user = get_userdata( (int) $row['user_id'] );
				return "Field {$row['meta_key']} of user " . ( $user ? $user->user_login : $row['user_id'] );
			case 'terms':
				return "Term \"{$row['name']}\"";
		}
		return "$short $key";
	}
}
