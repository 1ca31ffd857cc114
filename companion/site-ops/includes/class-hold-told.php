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
		);
		return $told + ( $effects->more() ? array( 'more' => $effects->more() ) : array() ) + array( 'answer' => $answer );
	}
}
