<?php
/**
 * Plugin Name: Schema Pro stand-in (not Schema Pro)
 * Description: For the demo only: a stand-in of our own that has the constant and post type of Schema Pro which the companion plugin uses, and one entry to try. None of its code is Schema Pro's.
 * Version: 1.0.0
 */

defined( 'ABSPATH' ) || exit;

define( 'BSF_AIOSRS_PRO_VER', '2.7.13-standin' );

add_action(
	'init',
	function () {
		register_post_type( 'aiosrs-schema', array( 'public' => false ) );
		$any = get_posts( array( 'post_type' => 'aiosrs-schema', 'post_status' => 'any', 'numberposts' => 1 ) );
		if ( $any ) {
			return;
		}
		wp_insert_post(
			array(
				'post_type'   => 'aiosrs-schema',
				'post_title'  => 'Organisation',
				'post_status' => 'draft',
				'meta_input'  => array(
					'bsf-aiosrs-schema-type'      => 'custom-markup',
					'bsf-aiosrs-schema-location'  => array(
						'rule'     => array( 'basic-global' ),
						'specific' => array(),
					),
					'bsf-aiosrs-schema-exclusion' => array( 'rule' => array( 'special-404' ) ),
					'bsf-aiosrs-custom-markup'    => '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization","name":"Demo"}</script>',
				),
			)
		);
	}
);
